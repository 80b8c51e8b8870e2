const revokeAfterMs = 60_000;

/** Lets the browser save the file, as if a user had clicked a download link. */
export function saveFile(file: Blob, name: string) {
  const address = URL.createObjectURL(file);
  follow(address, name);
  // The download reads the URL asynchronously.
  setTimeout(() => URL.revokeObjectURL(address), revokeAfterMs);
}

/** Downloads from a URL. The response headers set the file name. */
export const fetchAddress = (address: string) => follow(address, '');

function follow(address: string, name: string) {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

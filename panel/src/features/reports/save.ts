const revokeAfterMs = 60_000;

/** Lets the browser save what it has been given, as if someone had followed a link to it. */
export function saveFile(file: Blob, name: string) {
  const address = URL.createObjectURL(file);
  follow(address, name);
  // The download reads it a little later.
  setTimeout(() => URL.revokeObjectURL(address), revokeAfterMs);
}

/** The answer says that it is to be saved, and how it is called. */
export const fetchAddress = (address: string) => follow(address, '');

function follow(address: string, name: string) {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

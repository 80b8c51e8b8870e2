const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpegSignature = Buffer.from([0xff, 0xd8, 0xff]);

/**
 * The part of a file that is drawn, if its content is a JPEG, a PNG or a WebP; what it is called says nothing.
 * Here are the traps that a decoder walks into before any limit of its own: everything else is left to its limits.
 */
export function drawnPart(bytes: Buffer): Buffer | undefined {
  if (startsWith(bytes, pngSignature)) return pngWithoutExtras(bytes);
  if (startsWith(bytes, jpegSignature)) return countScans(bytes) <= mostScans ? bytes : undefined;
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? bytes : undefined;
}

const startsWith = (bytes: Buffer, signature: Buffer) => bytes.subarray(0, signature.length).equals(signature);

/** Without these there is no picture; without the others there is one. */
const pngChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
/** Length and name before the data of a chunk, and a checksum after it. */
const beforeData = 8;
const aroundData = 12;

/** Compressed text is inflated while the header is read: 2 MB of it become 10 GB. Text is no part of a photo. */
function pngWithoutExtras(bytes: Buffer): Buffer | undefined {
  const kept: Buffer[] = [pngSignature];
  for (let at = pngSignature.length; at + aroundData <= bytes.length; ) {
    const end = at + aroundData + bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + beforeData);
    if (end > bytes.length) return undefined;
    if (pngChunks.has(name)) kept.push(bytes.subarray(at, end));
    if (name === 'IEND') return Buffer.concat(kept);
    at = end;
  }
  return undefined;
}

/** Cameras and editors write a dozen at most. */
const mostScans = 64;
const startOfScan = Buffer.from([0xff, 0xda]);

/** Each scan walks over the whole picture again, and no timeout interrupts it: 176 kB with 2,647 scans take 8 s. */
function countScans(bytes: Buffer) {
  let scans = 0;
  for (let at = bytes.indexOf(startOfScan); at >= 0; at = bytes.indexOf(startOfScan, at + 2)) scans += 1;
  return scans;
}

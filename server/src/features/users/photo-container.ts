const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpegSignature = Buffer.from([0xff, 0xd8, 0xff]);

/**
 * The part of a file that is drawn, if its content is a JPEG, a PNG, a WebP or a GIF; what it is called says nothing.
 * Here are the traps that a decoder walks into before any limit of its own: everything else is left to its limits.
 */
export function drawnPart(bytes: Buffer): Buffer | undefined {
  if (startsWith(bytes, pngSignature)) return pngWithoutExtras(bytes);
  if (startsWith(bytes, jpegSignature)) return countScans(bytes) <= mostScans ? bytes : undefined;
  if (/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return gifOfOneFrame(bytes);
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

const gifScreenBytes = 13;
const gifFrameBytes = 10;
const gifTrailer = Buffer.from([0x3b]);

/** The bytes of a table of colors, from the field that says whether there is one and how large it is. */
const gifColorBytes = (field: number) => ((field & 0x80) === 0 ? 0 : 3 * 2 ** ((field & 0x07) + 1));

/**
 * A decoder reads every frame before it draws the first one, and a photo does not move: what is kept is the screen, how
 * the first frame is see-through, and that frame. Comments and everything behind it are left out.
 */
function gifOfOneFrame(bytes: Buffer): Buffer | undefined {
  const screenEnd = gifScreenBytes + gifColorBytes(bytes[gifScreenBytes - 3] ?? 0);
  let control: Buffer = Buffer.alloc(0);
  for (let at = screenEnd; at < bytes.length; ) {
    const isExtension = bytes[at] === 0x21;
    const isFrame = bytes[at] === 0x2c;
    if (!isExtension && !isFrame) return undefined;
    const end = isExtension ? endOfSubBlocks(bytes, at + 2) : endOfFrame(bytes, at);
    if (end === undefined) return undefined;
    if (isFrame) return Buffer.concat([bytes.subarray(0, screenEnd), control, bytes.subarray(at, end), gifTrailer]);
    if (bytes[at + 1] === 0xf9) control = bytes.subarray(at, end);
    at = end;
  }
  return undefined;
}

/** Its place and size, its own colors, the width of its first code, and the blocks of its pixels. */
function endOfFrame(bytes: Buffer, at: number) {
  if (at + gifFrameBytes > bytes.length) return undefined;
  // A decoder makes up a size where there is none.
  const hasSize = bytes.readUInt16LE(at + 5) > 0 && bytes.readUInt16LE(at + 7) > 0;
  if (!hasSize) return undefined;
  const colors = gifColorBytes(bytes.readUInt8(at + gifFrameBytes - 1));
  return endOfSubBlocks(bytes, at + gifFrameBytes + colors + 1);
}

/** Each block says how long it is; one of no length is the last. */
function endOfSubBlocks(bytes: Buffer, start: number) {
  let at = start;
  for (let length = bytes[at]; length !== undefined; length = bytes[at]) {
    at += 1 + length;
    if (length === 0) return at;
  }
  return undefined;
}

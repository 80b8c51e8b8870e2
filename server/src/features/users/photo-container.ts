const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpegSignature = Buffer.from([0xff, 0xd8, 0xff]);

/**
 * Returns the part of a file that is drawn if its content, not its declared type, is a JPEG, PNG, WebP or GIF. Returns
 * undefined otherwise, and for input that exhausts a decoder before the decoder's own limits apply.
 */
export function drawnPart(bytes: Buffer): Buffer | undefined {
  if (startsWith(bytes, pngSignature)) return pngWithoutExtras(bytes);
  if (startsWith(bytes, jpegSignature)) return countScans(bytes) <= mostScans ? bytes : undefined;
  if (/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return gifOfOneFrame(bytes);
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? bytes : undefined;
}

const startsWith = (bytes: Buffer, signature: Buffer) => bytes.subarray(0, signature.length).equals(signature);

/** The chunks that are needed to draw the picture. */
const pngChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
/** A chunk has its length and name before the data, and a checksum after it. */
const beforeData = 8;
const aroundData = 12;

/** Drops all other chunks: compressed text is inflated while the header is read, and 2 MB of it become 10 GB. */
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

/** Cameras and editors write at most a dozen scans. */
const mostScans = 64;
const startOfScan = Buffer.from([0xff, 0xda]);

/** Each scan decodes the whole picture again, and no timeout interrupts it: 176 kB with 2,647 scans take 8 s. */
function countScans(bytes: Buffer) {
  let scans = 0;
  for (let at = bytes.indexOf(startOfScan); at >= 0; at = bytes.indexOf(startOfScan, at + 2)) scans += 1;
  return scans;
}

const gifScreenBytes = 13;
const gifFrameBytes = 10;
const gifTrailer = Buffer.from([0x3b]);

/** The bytes of a color table, from the packed field that holds its presence and size. */
const gifColorBytes = (field: number) => ((field & 0x80) === 0 ? 0 : 3 * 2 ** ((field & 0x07) + 1));

/**
 * Keeps the screen descriptor, the transparency of the first frame and that frame, because a decoder reads every frame
 * before it draws the first one. Comments and everything after the frame are dropped.
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

/** A frame has its position and size, a local color table, the LZW code size and the blocks of its pixels. */
function endOfFrame(bytes: Buffer, at: number) {
  if (at + gifFrameBytes > bytes.length) return undefined;
  // A decoder invents a size if it is zero.
  const hasSize = bytes.readUInt16LE(at + 5) > 0 && bytes.readUInt16LE(at + 7) > 0;
  if (!hasSize) return undefined;
  const colors = gifColorBytes(bytes.readUInt8(at + gifFrameBytes - 1));
  return endOfSubBlocks(bytes, at + gifFrameBytes + colors + 1);
}

/** Each block starts with its length; a block of length zero is the last. */
function endOfSubBlocks(bytes: Buffer, start: number) {
  let at = start;
  for (let length = bytes[at]; length !== undefined; length = bytes[at]) {
    at += 1 + length;
    if (length === 0) return at;
  }
  return undefined;
}

import { crc32, deflateSync } from 'node:zlib';

export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function bigEndian(value: number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function pngChunk(name: string, data: Buffer | string) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), Buffer.from(data)]);
  return Buffer.concat([bigEndian(body.length - 4), body, bigEndian(crc32(body))]);
}

type Header = { width: number; height: number; depth?: number; color?: number; interlaced?: boolean };

export function pngHeader({ width, height, depth = 8, color = 0, interlaced = false }: Header) {
  const rest = Buffer.from([depth, color, 0, 0, interlaced ? 1 : 0]);
  return pngChunk('IHDR', Buffer.concat([bigEndian(width), bigEndian(height), rest]));
}

export const png = (...chunks: Buffer[]) => Buffer.concat([pngSignature, ...chunks, pngChunk('IEND', '')]);

/** Zeros, compressed to a small fraction of their size. */
export const deflatedZeros = (bytes: number) => deflateSync(Buffer.alloc(bytes), { level: 9 });

/** The same picture with these chunks right after its header, where a decoder reads them first. */
export function pngWith(whole: Buffer, ...chunks: Buffer[]) {
  const headerEnd = pngSignature.length + 25;
  return Buffer.concat([whole.subarray(0, headerEnd), ...chunks, whole.subarray(headerEnd)]);
}

export function jpegSegment(marker: number, data: Buffer | readonly number[]) {
  const body = Buffer.from(data);
  const length = Buffer.from([(body.length + 2) >> 8, (body.length + 2) & 0xff]);
  return Buffer.concat([Buffer.from([0xff, marker]), length, body]);
}

/** The same picture with these segments right after its start. */
export const jpegWith = (whole: Buffer, ...segments: Buffer[]) =>
  Buffer.concat([whole.subarray(0, 2), ...segments, whole.subarray(2)]);

const jpegStart = Buffer.from([0xff, 0xd8]);
const jpegEnd = Buffer.from([0xff, 0xd9]);
const zeros = (count: number) => Array.from({ length: count }, () => 0);
const ones = (count: number) => Array.from({ length: count }, () => 1);

export function jpegFrame(marker: number, { width, height }: { width: number; height: number }) {
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff];
  return jpegSegment(marker, [8, ...size, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
}

/**
 * A valid progressive JPEG of one color that encodes one bit of one coefficient per scan. The decoder visits every
 * block for each scan, although a scan takes only a few bytes.
 */
export function jpegOfManyScans(side: number) {
  const blocks = Math.ceil(side / 8) ** 2;
  const quantities = jpegSegment(0xdb, [0, ...ones(64)]);
  // One code of one bit each: no difference for the DC coefficient, a run of ended blocks for the AC coefficients.
  const dcCodes = jpegSegment(0xc4, [0x00, 1, ...zeros(15), 0]);
  const acCodes = jpegSegment(0xc4, [0x10, 1, ...zeros(15), 0xe0]);
  const dcScan = [jpegSegment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0]), Buffer.alloc(Math.ceil((blocks * 3) / 8))];
  const nothing = endOfBlocks(blocks);
  const scans = [1, 2, 3].flatMap((component) =>
    Array.from({ length: 63 }, (_, index) => index + 1).flatMap((coefficient) =>
      Array.from({ length: 14 }, (_, turn) => {
        const bit = 13 - turn;
        const approximation = ((turn === 0 ? 0 : bit + 1) << 4) | bit;
        return Buffer.concat([jpegSegment(0xda, [1, component, 0, coefficient, coefficient, approximation]), nothing]);
      }),
    ),
  );
  const frame = jpegFrame(0xc2, { width: side, height: side });
  return Buffer.concat([jpegStart, quantities, frame, dcCodes, acCodes, ...dcScan, ...scans, jpegEnd]);
}

const longestRun = 32_767;
const shortestRun = 16_384;

function endOfBlocks(blocks: number) {
  let bits = '';
  for (let left = blocks; left > 0; ) {
    const run = Math.min(left, longestRun);
    if (run < shortestRun) throw new Error('This code cannot say so short a run.');
    bits += `0${(run - shortestRun).toString(2).padStart(14, '0')}`;
    left -= run;
  }
  const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1').match(/.{8}/g) ?? [];
  // Byte stuffing: a zero after 0xff says that it does not start a marker.
  return Buffer.from(
    bytes.map((byte) => Number.parseInt(byte, 2)).flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])),
  );
}

/** Returns the offset of the extensions and frames of a GIF, which follow the global color table. */
export const gifFrames = (whole: Buffer) => {
  const field = whole.readUInt8(10);
  return 13 + ((field & 0x80) === 0 ? 0 : 3 * 2 ** ((field & 0x07) + 1));
};

export function gifExtension(label: number, ...blocks: Buffer[]) {
  const written = blocks.map((block) => Buffer.concat([Buffer.from([block.length]), block]));
  return Buffer.concat([Buffer.from([0x21, label]), ...written, Buffer.from([0])]);
}

/** The same picture with these extensions before its first frame. */
export const gifWith = (whole: Buffer, ...extensions: Buffer[]) =>
  Buffer.concat([whole.subarray(0, gifFrames(whole)), ...extensions, whole.subarray(gifFrames(whole))]);

/**
 * The same picture with another declared size of its screen and of its first frame, which counts if the former is
 * absurd.
 */
export function gifSized(whole: Buffer, side: number) {
  const copy = Buffer.from(whole);
  const frame = copy.indexOf(0x2c, gifFrames(copy));
  for (const at of [6, 8, frame + 5, frame + 7]) copy.writeUInt16LE(side, at);
  return copy;
}

/** One pixel in the corner, in 15 bytes. */
export const emptyGifFrame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);

export function riff(form: string, ...chunks: { name: string; data: Buffer }[]) {
  const written = chunks.map(({ name, data }) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(name, 'latin1'), size, data, Buffer.alloc(data.length % 2)]);
  });
  const body = Buffer.concat([Buffer.from(form, 'latin1'), ...written]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF', 'latin1'), size, body]);
}

/** Returns the names of the chunks of a WebP, in order. */
export function riffChunks(bytes: Buffer) {
  const names: string[] = [];
  for (let at = 12; at + 8 <= bytes.length; at += 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) % 2)) {
    names.push(bytes.toString('latin1', at, at + 4));
  }
  return names;
}

import { deflateSync, gzipSync } from 'node:zlib';
import { hostileGifs } from './hostile-gifs.ts';
import {
  deflatedZeros,
  jpegFrame,
  jpegOfManyScans,
  jpegSegment,
  jpegWith,
  png,
  pngChunk,
  pngHeader,
  pngSignature,
  pngWith,
  riff,
} from './image-bytes.ts';
import { blank, type Hostile, moving, payload, picture, repeated, script, text } from './pictures.ts';

const mostBytes = 2 * 1024 * 1024;

const svg = (inside: string) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inside}</svg>`);

const jpeg = await picture().jpeg().toBuffer();
const wholePng = await picture().png().toBuffer();
const webp = await picture().webp().toBuffer();
const zip = Buffer.concat([
  text(`PK\x03\x04\x14\0\0\0${payload}.html`),
  text(script),
  text('PK\x05\x06'),
  Buffer.alloc(18),
]);
const pdf = text(`%PDF-1.4\n1 0 obj <</Type/Catalog/OpenAction<</S/JavaScript/JS(${payload})>>>> endobj\n%%EOF`);
const bigFtyp = (brand: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), text(`ftyp${brand}\0\0\0\0mif1${brand}${payload}`)]);

const notPhotos: Hostile[] = [
  { name: 'an SVG', bytes: svg('<rect width="9" height="9"/>'), status: 422 },
  { name: 'an SVG with a script', bytes: svg(script), status: 422 },
  { name: 'an SVG declared as SVG', bytes: svg(script), type: 'image/svg+xml', status: 415 },
  { name: 'a gzipped SVG', bytes: gzipSync(svg(script)), status: 422 },
  {
    name: 'an SVG that reads a file',
    bytes: Buffer.concat([
      text('<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
      svg('&x;'),
    ]),
    status: 422,
  },
  { name: 'an HTML page', bytes: text(`<!doctype html>${script}`), status: 422 },
  { name: 'an HTML page declared as HTML', bytes: text(script), type: 'text/html', status: 415 },
  { name: 'a form upload', bytes: jpeg, type: 'multipart/form-data; boundary=x', status: 415 },
  { name: 'a photo declared as plain bytes', bytes: jpeg, type: 'application/octet-stream', status: 415 },
  { name: 'a photo declared with two types', bytes: jpeg, type: 'image/png, text/html', status: 415 },
  { name: 'a BMP', bytes: Buffer.concat([text('BM'), Buffer.alloc(64, 1)]), status: 422 },
  { name: 'a TIFF', bytes: await picture().tiff().toBuffer(), status: 422 },
  { name: 'an AVIF', bytes: await picture().avif({ effort: 0 }).toBuffer(), status: 422 },
  { name: 'the header of a HEIC', bytes: bigFtyp('heic'), status: 422 },
  { name: 'a JPEG 2000', bytes: text('\0\0\0\x0cjP  \r\n\x87\n'), status: 422 },
  { name: 'a JPEG XL', bytes: text('\xff\x0a\xfa\x1f\x01'), status: 422 },
  { name: 'an icon', bytes: Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0]), status: 422 },
  { name: 'a PDF', bytes: pdf, status: 422 },
  { name: 'a ZIP', bytes: zip, status: 422 },
  { name: 'an executable', bytes: text('\x7fELF\x02\x01\x01'), status: 422 },
  {
    name: 'a WAV, which has the same container as WebP',
    bytes: riff('WAVE', { name: 'fmt ', data: Buffer.alloc(16) }),
    status: 422,
  },
  { name: 'an image in the library’s own raw format', bytes: text('\xb6\xa6\xf2\x08'), status: 422 },
  { name: 'zeros', bytes: Buffer.alloc(1_024), status: 422 },
  { name: 'one byte', bytes: Buffer.from([0xff]), status: 422 },
  { name: 'an empty body', bytes: Buffer.alloc(0), status: 422 },
  { name: 'a gzipped photo', bytes: gzipSync(jpeg), status: 422 },
];

const twoInOne: Hostile[] = [
  { name: 'a JPEG followed by an HTML page', bytes: Buffer.concat([jpeg, text(script)]), status: 200 },
  { name: 'a JPEG followed by a ZIP', bytes: Buffer.concat([jpeg, zip]), status: 200 },
  {
    name: 'a JPEG with an HTML page in its comment',
    bytes: jpegWith(jpeg, jpegSegment(0xfe, text(script))),
    status: 200,
  },
  {
    name: 'a JPEG that is also a PDF',
    bytes: Buffer.concat([jpegWith(jpeg, jpegSegment(0xfe, pdf)), pdf]),
    status: 200,
  },
  { name: 'a PDF followed by a JPEG', bytes: Buffer.concat([pdf, jpeg]), status: 422 },
  {
    name: 'a PNG followed by PHP',
    bytes: Buffer.concat([wholePng, text(`<?php system("${payload}");`)]),
    status: 200,
  },
  {
    name: 'a PNG with a script in its text',
    bytes: pngWith(wholePng, pngChunk('tEXt', `Comment\0${script}`)),
    status: 200,
  },
  { name: 'a PNG with an unknown chunk', bytes: pngWith(wholePng, pngChunk('evIl', script)), status: 200 },
  {
    name: 'a PNG with an unknown critical chunk',
    bytes: pngWith(wholePng, pngChunk('EVIL', script)),
    status: 200,
  },
  { name: 'a WebP followed by a script', bytes: Buffer.concat([webp, text(script)]), status: 200 },
  {
    name: 'a photo with a script and a location in its EXIF',
    bytes: await picture()
      .withExif({ IFD0: { ImageDescription: script }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
      .jpeg()
      .toBuffer(),
    status: 200,
  },
  {
    name: 'a photo with XMP',
    bytes: await picture().withXmp(`<x:xmpmeta>${payload}</x:xmpmeta>`).webp().toBuffer(),
    status: 200,
  },
  {
    name: 'a JPEG with an invalid color profile',
    bytes: jpegWith(jpeg, jpegSegment(0xe2, text(`ICC_PROFILE\0\x01\x01${script.repeat(20)}`))),
    status: 200,
  },
  {
    name: 'a PNG with an invalid color profile',
    bytes: pngWith(wholePng, pngChunk('iCCP', Buffer.concat([text(`${payload}\0\0`), deflateSync(text(script))]))),
    status: 200,
  },
  { name: 'a JPEG declared as a PNG', bytes: jpeg, type: 'image/png', status: 200 },
  { name: 'a PNG declared as a WebP', bytes: wholePng, type: 'image/webp', status: 200 },
];

const malformed: Hostile[] = [
  { name: 'a truncated JPEG', bytes: jpeg.subarray(0, jpeg.length * 0.7), status: 422 },
  { name: 'a truncated PNG', bytes: wholePng.subarray(0, wholePng.length * 0.7), status: 422 },
  { name: 'a truncated WebP', bytes: webp.subarray(0, webp.length * 0.7), status: 422 },
  { name: 'the first bytes of a JPEG', bytes: jpeg.subarray(0, 4), status: 422 },
  { name: 'the first bytes of a PNG', bytes: pngSignature, status: 422 },
  { name: 'the first bytes of a WebP', bytes: webp.subarray(0, 12), status: 422 },
  { name: 'a PNG with one wrong bit in its signature', bytes: changed(wholePng, 1), status: 422 },
  { name: 'a PNG with a wrong checksum in its header', bytes: changed(wholePng, 30), status: 422 },
  { name: 'a PNG with a wrong checksum of its pixels', bytes: changed(wholePng, wholePng.length - 14), status: 422 },
  { name: 'text that starts like a PNG', bytes: Buffer.concat([pngSignature, text(script)]), status: 422 },
  { name: 'text that starts like a JPEG', bytes: Buffer.concat([jpeg.subarray(0, 3), text(script)]), status: 422 },
  { name: 'text that starts like a WebP', bytes: Buffer.concat([webp.subarray(0, 16), text(script)]), status: 422 },
  { name: 'a PNG without pixels', bytes: png(pngHeader({ width: 9, height: 9 })), status: 422 },
  {
    name: 'a PNG of zero size',
    bytes: png(pngHeader({ width: 0, height: 0 }), pngChunk('IDAT', deflatedZeros(1))),
    status: 422,
  },
  {
    name: 'a PNG with a chunk longer than the file',
    bytes: Buffer.concat([wholePng.subarray(0, 33), Buffer.from([0xff, 0xff, 0xff, 0xff]), text(`IDAT${script}`)]),
    status: 422,
  },
  { name: 'a PNG with two headers', bytes: pngWith(wholePng, pngHeader({ width: 9_000, height: 9_000 })), status: 422 },
  { name: 'a JPEG of zero height', bytes: changedSize(jpeg, 0), status: 422 },
  { name: 'a JPEG that declares more rows than it has', bytes: changedSize(jpeg, 40_000), status: 422 },
  {
    name: 'an animated WebP',
    bytes: await moving()
      .webp({ loop: 0, delay: [50, 50] })
      .toBuffer(),
    status: 200,
  },
  {
    name: 'an animated PNG',
    bytes: pngWith(wholePng, pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])), pngChunk('fdAT', script)),
    status: 200,
  },
];

const longText = deflateSync(payload.repeat(7_000_000), { level: 9 });
const zippedText = (kind: 'zTXt' | 'iTXt') =>
  pngChunk(kind, Buffer.concat([text(kind === 'zTXt' ? 'Comment\0\0' : 'Comment\0\x01\0\0\0'), longText]));

/** Decompression bombs: small files that expand when they are decoded. */
const bombs: Hostile[] = [
  {
    name: 'a PNG that declares 100,000 × 100,000',
    bytes: png(pngHeader({ width: 100_000, height: 100_000 }), pngChunk('IDAT', deflatedZeros(1_000))),
    status: 422,
  },
  {
    name: 'a PNG that is 20,000 × 20,000',
    bytes: png(pngHeader({ width: 20_000, height: 20_000, depth: 1 }), pngChunk('IDAT', deflatedZeros(20_000 * 2_501))),
    status: 422,
  },
  {
    name: 'a JPEG that declares 65,500 × 65,500',
    bytes: Buffer.concat([jpeg.subarray(0, 2), jpegFrame(0xc2, { width: 65_500, height: 65_500 }), jpeg.subarray(2)]),
    status: 422,
  },
  {
    name: 'a WebP that declares 16,384 × 16,384',
    bytes: riff(
      'WEBP',
      { name: 'VP8X', data: Buffer.from([2, 0, 0, 0, 0xff, 0x3f, 0, 0xff, 0x3f, 0]) },
      { name: 'VP8 ', data: webp.subarray(20) },
    ),
    status: 422,
  },
  { name: 'one pixel more than allowed', bytes: await blank(4_001, 4_000).png().toBuffer(), status: 422 },
  {
    name: 'a PNG whose zTXt text expands to 400 MB',
    bytes: pngWith(wholePng, ...repeated(zippedText('zTXt'), 8)),
    status: 200,
  },
  {
    name: 'a PNG whose iTXt text expands to 400 MB',
    bytes: pngWith(wholePng, ...repeated(zippedText('iTXt'), 8)),
    status: 200,
  },
  {
    name: 'a PNG whose color profile expands to 400 MB',
    bytes: pngWith(wholePng, pngChunk('iCCP', Buffer.concat([text(`${payload}\0\0`), deflatedZeros(400_000_000)]))),
    status: 200,
  },
  {
    name: 'a PNG with 500 MB of surplus pixels',
    bytes: png(pngHeader({ width: 9, height: 9 }), pngChunk('IDAT', deflatedZeros(500_000_000))),
    status: 200,
  },
  { name: 'a JPEG of 2,647 scans', bytes: jpegOfManyScans(4_000), status: 422 },
  {
    name: 'the heaviest PNG that is allowed',
    bytes: await blank(4_000, 4_000).toColourspace('rgb16').png({ progressive: true }).toBuffer(),
    status: 200,
  },
  {
    name: 'the heaviest JPEG that is allowed',
    bytes: await blank(4_000, 4_000).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
    status: 200,
  },
  { name: 'a photo of exactly 2 MB', bytes: Buffer.concat([jpeg, Buffer.alloc(mostBytes - jpeg.length)]), status: 200 },
  {
    name: 'a photo of 2 MB and one byte',
    bytes: Buffer.concat([jpeg, Buffer.alloc(mostBytes - jpeg.length + 1)]),
    status: 413,
  },
];

function changed(bytes: Buffer, at: number) {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

function changedSize(bytes: Buffer, height: number) {
  const copy = Buffer.from(bytes);
  copy.writeUInt16BE(height, copy.indexOf(Buffer.from([0xff, 0xc0])) + 5);
  return copy;
}

/** All files are generated by code, so that the repository contains none of them. */
export const hostilePhotos = {
  notPhotos,
  twoInOne: [...twoInOne, ...hostileGifs.twoInOne],
  malformed: [...malformed, ...hostileGifs.malformed],
  bombs: [...bombs, ...hostileGifs.bombs],
};

import { emptyGifFrame, gifExtension, gifFrames, gifSized, gifWith } from './image-bytes.ts';
import { blank, type Hostile, moving, payload, picture, repeated, script, text } from './pictures.ts';

const gif = await picture().gif().toBuffer();
const jpeg = await picture().jpeg().toBuffer();

const twoInOne: Hostile[] = [
  { name: 'the signature of a GIF followed by a JPEG', bytes: Buffer.concat([text('GIF89a'), jpeg]), status: 422 },
  { name: 'a GIF followed by an HTML page', bytes: Buffer.concat([gif, text(script)]), status: 200 },
  { name: 'a GIF with a script in its comment', bytes: gifWith(gif, gifExtension(0xfe, text(script))), status: 200 },
  {
    name: 'a GIF with XMP',
    bytes: gifWith(gif, gifExtension(0xff, text('XMP DataXMP'), text(`<x>${payload}</x>`))),
    status: 200,
  },
  { name: 'a GIF declared as a JPEG', bytes: gif, type: 'image/jpeg', status: 200 },
  {
    name: 'a GIF that is also a script',
    bytes: text(`GIF89a/*\x01\0*/=1;alert("${payload}")`),
    type: 'image/jpeg',
    status: 422,
  },
];

const malformed: Hostile[] = [
  { name: 'a truncated GIF', bytes: gif.subarray(0, gif.length * 0.7), status: 422 },
  { name: 'the first bytes of a GIF', bytes: gif.subarray(0, 13), status: 422 },
  { name: 'a GIF without a frame', bytes: Buffer.concat([gif.subarray(0, gifFrames(gif)), text(';')]), status: 422 },
  { name: 'a GIF of zero size', bytes: gifSized(gif, 0), status: 422 },
  {
    name: 'an animated GIF',
    bytes: await moving()
      .gif({ loop: 0, delay: [50, 50] })
      .toBuffer(),
    status: 200,
  },
];

const bombs: Hostile[] = [
  { name: 'a GIF that declares 65,535 × 65,535', bytes: gifSized(gif, 65_535), status: 422 },
  {
    name: 'a GIF of 80,000 frames',
    bytes: Buffer.concat([gif.subarray(0, -1), ...repeated(emptyGifFrame, 80_000), text(';')]),
    status: 200,
  },
  { name: 'the heaviest GIF that is allowed', bytes: await blank(4_000, 4_000).gif().toBuffer(), status: 200 },
];

export const hostileGifs = { twoInOne, malformed, bombs };

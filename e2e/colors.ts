import { crc32, deflateSync } from 'node:zlib';
import type { Locator } from '@playwright/test';

/** Returns a PNG image of one color. */
export function coloredPng([red, green, blue]: [number, number, number], side = 32) {
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: side }, () => Buffer.from([red, green, blue]))]);
  const pixels = Buffer.concat(Array.from({ length: side }, () => row));
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(data.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const end = chunk('IEND', Buffer.alloc(0));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), end]);
}

/** Returns the dominant color of the displayed image. */
export function colorOf(image: Locator) {
  return image.evaluate(async (shown: HTMLImageElement) => {
    await shown.decode();
    const canvas = new OffscreenCanvas(1, 1);
    const context = canvas.getContext('2d');
    context?.drawImage(shown, 0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = context?.getImageData(0, 0, 1, 1).data ?? [];
    return red > 128 ? 'red' : green > 128 ? 'green' : blue > 128 ? 'blue' : 'none';
  });
}

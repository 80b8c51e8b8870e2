import sharp from 'sharp';

export type Hostile = {
  name: string;
  bytes: Buffer;
  /** The declared content type. */
  type?: string;
  /** 200: a picture with foreign data in or after it, which must be removed. */
  status: 200 | 413 | 415 | 422;
};

/** Part of every payload. It must not appear in a stored picture. */
export const payload = 'p4yl0ad';
export const script = `<script>alert("${payload}")</script>`;

export const text = (content: string) => Buffer.from(content, 'latin1');

/** A picture with a pattern, because pictures of a single color would all look alike. */
export function picture(width = 64, height = 48) {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at * 31 + (at >> 7) * 17) % 251;
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

const frames = [await picture().raw().toBuffer(), await picture().negate().raw().toBuffer()];
export const moving = () =>
  sharp(Buffer.concat(frames), { raw: { width: 64, height: 96, channels: 3, pageHeight: 48 } });

export function blank(width: number, height: number) {
  return sharp({ create: { width, height, channels: 4, background: '#40a080' } });
}

export function repeated(chunk: Buffer, times: number) {
  return Array.from({ length: times }, () => chunk);
}

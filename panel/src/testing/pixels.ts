import { page } from 'vitest/browser';

/** A part of an element, in pixels from its upper left corner. */
type Part = { left: number; top: number; width: number; height: number };

/** Returns the difference of the brightest and the darkest pixel of a part, from 0 (nothing is drawn) to 255. */
export async function contrastIn(element: Element, { left, top, width, height }: Part) {
  const base64 = await page.screenshot({ element, save: false });
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  if (!context) throw new Error('This browser draws nothing.');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(left, top, width, height);
  const reds = data.filter((_, index) => index % 4 === 0);
  return Math.max(...reds) - Math.min(...reds);
}

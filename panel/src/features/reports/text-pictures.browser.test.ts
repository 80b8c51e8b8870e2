import { expect, test } from 'vitest';
import { drawTexts } from './text-pictures.ts';

async function pixelsOf(jpeg: Uint8Array<ArrayBuffer>) {
  const image = await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' }));
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context?.drawImage(image, 0, 0);
  return context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
}

async function drawn(text: string) {
  const [picture] = await drawTexts([text]);
  if (!picture) throw new Error('Nothing was drawn.');
  return { ...picture, pixels: await pixelsOf(picture.jpeg) };
}

/** Counts the pixels that are darker than gray. */
const inkOf = (pixels: Uint8ClampedArray) => pixels.filter((value, at) => at % 4 === 0 && value < 128).length;

/** A missing glyph is drawn as a box, and all boxes look the same, so two letters must differ. */
test.each([
  ['Cyrillic', 'Ж', 'Ф'],
  ['Greek', 'Ξ', 'Θ'],
  ['Arabic', 'ب', 'ج'],
  ['Chinese', '你', '好'],
  ['Japanese', 'あ', 'ア'],
  ['Polish and Hungarian', 'Ł', 'ő'],
])('letters of %s are drawn, not replaced by boxes', async (_script, one, other) => {
  const [first, second] = [await drawn(one), await drawn(other)];
  for (const { pixels, height } of [first, second]) {
    expect(inkOf(pixels)).toBeGreaterThan(20);
    expect(height).toBe(12.5);
  }
  expect(first.jpeg).not.toEqual(second.jpeg);
});

test('the letters of an Arabic word are joined', async () => {
  const joined = await drawn('ببب');
  const apart = await drawn('ب\u200cب\u200cب');
  expect(joined.width).toBeLessThan(apart.width);
});

test('a long text wraps at the column width, between words or within a long word', async () => {
  const words = await drawn('Пригласите пять друзей и подключите кошелёк сегодня');
  expect(words.height).toBe(25);
  expect(words.width).toBeLessThanOrEqual(142.25);
  const letters = await drawn('好'.repeat(40));
  expect(letters.height).toBe(37.5);
  expect(letters.width).toBeLessThanOrEqual(142.25);
});

import { expect, test } from 'vitest';
import { drawable } from './drawable.ts';

test.each([
  ['Invite 5 friends', 'Invite 5 friends'],
  ['Zoë – 5 € “now”', 'Zoë – 5 € “now”'],
  ['two\nlines\tand\u00a0blanks', 'two lines and blanks'],
  ['Привет 你好 👩‍👩‍👧', '?????? ?? ?????'],
])('%j is drawn as %j', (text, drawn) => {
  expect(drawable(text)).toBe(drawn);
});

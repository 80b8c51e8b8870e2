import { expect, test } from 'vitest';
import { inOneLine, isPlain } from './drawable.ts';

test.each(['Invite 5 friends', 'Zoë – 5 € “now”', ''])('%j is drawn with the standard PDF fonts', (text) => {
  expect(isPlain(text)).toBe(true);
});

test.each(['Привет', 'Ελένη', 'ليلى', '你好', 'Łódź', 'nice 👍'])('%j needs a picture', (text) => {
  expect(isPlain(text)).toBe(false);
});

test('consecutive line breaks and whitespace become one space', () => {
  expect(inOneLine('two\nlines\tand\u00a0blanks\u0007')).toBe('two lines and blanks ');
});

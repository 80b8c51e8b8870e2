import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

test('without words, a small platform plays against an own installation for a minute', () => {
  expect(readOptions(['--seed', '7'])).toEqual({
    users: 60,
    rate: 8,
    seconds: 60,
    seed: 7,
    kills: false,
    installation: undefined,
  });
});

test.each([
  [['--users', '0']],
  [['--users', '1.5']],
  [['--rate', 'fast']],
  [['--seed', '-1']],
  [['--url', 'http://127.0.0.1:3000']],
  [['--url', 'http://127.0.0.1:3000', '--key', 'bursar_x', '--kills']],
  [['--what']],
])('%j is answered with the usage', (words) => {
  expect(() => readOptions(words)).toThrow('npm run simulate');
});

import type { Chance } from '../processes/chance.ts';

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

/** Texts that break parsers, databases, searches and dates. */
const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '\u202e\u2066',
  'ﷺ'.repeat(50),
  'e' + '\u0301'.repeat(200),
  '😀'.repeat(500),
  'x'.repeat(300),
  'x'.repeat(5_001),
  "'",
  "'; drop table admin; --",
  '\\',
  '%',
  '_%_%_',
  '%00',
  '%s%n',
  '$1',
  '{{7*7}}',
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  'http://[::1]:0',
  'https://127.0.0.1/',
  'https://',
  '\r\nx-injected: 1',
  'null',
  'undefined',
  'true',
  '__proto__',
  'constructor',
  'NaN',
  'Infinity',
  '-Infinity',
  'infinity',
  '-infinity',
  'epoch',
  'now',
  '0',
  '-0',
  '-1',
  '1e308',
  '1e-308',
  '0x10',
  '１２３',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '170141183460469231731687303715884105728',
  '9'.repeat(40),
  `0.${'0'.repeat(30)}1`,
  '1.0000001',
  '1,000.00',
  '0000-00-00',
  '0001-01-01',
  '9999-12-31',
  '10000-01-01',
  '2026-02-30',
  '2026-13-01',
  '-271821-04-20',
  '2026-01-01T00:00:00Z',
  '2026-01-01T24:00:00.000Z',
  '2026-06-30T23:59:60Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '24:00',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '00000000-0000-7000-8000-00000000000g',
  '{00000000-0000-7000-8000-000000000000}',
  'eyJhIjoxfQ',
  'WyJhIiwxXQ==',
  'bnVsbA',
] as const;

const numbers = [
  0,
  -0,
  -1,
  1,
  0.1,
  1e-320,
  1e21,
  1.7976931348623157e308,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  32_767,
  32_768,
] as const;

const others = [
  null,
  true,
  false,
  [],
  {},
  [null],
  { length: -1 },
  { toString: 1 },
  { $ne: null },
  ['a', 'a'],
  deep(20),
  deep(40),
  Array.from({ length: 200 }, () => 'x'),
] as const;

/** Returns a value that no client sends which means well. */
export function hostileValue(chance: Chance): unknown {
  const kind = chance.below(1);
  if (kind < 0.65) return chance.one(texts);
  return kind < 0.85 ? chance.one(numbers) : chance.one<unknown>(others);
}

export const hostileText = (chance: Chance) => chance.one(texts);

/** Returns a text that resembles the given one: a cursor, a date or an amount that somebody has tampered with. */
export function tamper(text: string, chance: Chance) {
  const place = chance.whole(text.length + 1);
  const [before, after] = [text.slice(0, place), text.slice(place)];
  return chance.one([
    () => before,
    () => after,
    () => before + chance.one(['\u0000', "'", '-', '9', 'é', '.', '%', '=', '{']) + after,
    () => before + after.slice(1),
    () => text + text,
    () => text.toUpperCase(),
    () => text.replaceAll(/\d/g, '9'),
    () => tamperEncoded(text, chance),
  ])();
}

/** Changes what a cursor encodes, so that it still decodes. */
function tamperEncoded(text: string, chance: Chance) {
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  const value = chance.one(['"\\u0000"', 'null', '1e400', '"x"', '[]', '-9223372036854775809', '"99999-01-01"', '{}']);
  const changed = decoded.replace(/"[^"]*"|-?\d+(\.\d+)?/, () => value);
  return Buffer.from(changed, 'latin1').toString('base64url');
}

import { expect, test } from 'vitest';
import { base32, codeOfStep, matchingStep, stepAt, totpUri } from './totp.ts';

const rfcSecret = Buffer.from('12345678901234567890');

test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('RFC 6238, appendix B: the code at %i seconds is %s', (seconds, code) => {
  expect(codeOfStep(rfcSecret, stepAt(seconds * 1000), 8)).toBe(code);
});

const codesOfRfc = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];

test.each([...codesOfRfc.entries()])('RFC 4226, appendix D: the code of count %i is %s', (count, code) => {
  expect(codeOfStep(rfcSecret, count)).toBe(code);
});

test('the code of the current step and its neighbors match, and no other', () => {
  const nowMs = 1_700_000_000_000;
  const step = stepAt(nowMs);
  for (const distance of [-1, 0, 1]) {
    expect(matchingStep(rfcSecret, codeOfStep(rfcSecret, step + distance), nowMs)).toBe(step + distance);
  }
  for (const distance of [-2, 2]) {
    expect(matchingStep(rfcSecret, codeOfStep(rfcSecret, step + distance), nowMs)).toBeUndefined();
  }
  expect(matchingStep(rfcSecret, '', nowMs)).toBeUndefined();
});

test.each([
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('RFC 4648: %s is %s in base32', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

test('the address for the app names the account and the secret', () => {
  expect(totpUri(rfcSecret, 'ann')).toBe(
    'otpauth://totp/Bursar:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bursar',
  );
});

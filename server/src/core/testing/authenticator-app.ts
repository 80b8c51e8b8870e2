import { codeOfStep, stepAt } from '#server/core/auth/factors/totp.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Reads the key of an app, as someone who types it in would. */
export function readKey(key: string) {
  const letters = Array.from(key.replaceAll(' ', ''));
  const bits = letters.map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/**
 * The code of the current step, or of the next: each code is accepted once, so a test may need two. The one of the step
 * before could have become too old by the time it arrives.
 */
export const codeOf = (secret: Buffer, distance: 0 | 1) => codeOfStep(secret, stepAt(Date.now()) + distance);

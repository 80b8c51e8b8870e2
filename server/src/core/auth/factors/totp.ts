import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const stepSeconds = 30;
const digits = 6;
/** RFC 6238 recommends to accept one step of delay; clocks of phones are also a little ahead. */
const stepsAround = [0, -1, 1] as const;

/** Returns 160 random bits, the length that RFC 4226 recommends. */
export const newTotpSecret = () => randomBytes(20);

/** The code of a step (RFC 4226 with the step as counter). */
export function codeOfStep(secret: Buffer, step: number, length = digits) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) % 16;
  const number = mac.readUInt32BE(offset) % 2 ** 31;
  return String(number % 10 ** length).padStart(length, '0');
}

export const stepAt = (timeMs: number) => Math.floor(timeMs / 1000 / stepSeconds);

/** Returns the step whose code this is, among the current one and its neighbors. */
export function matchingStep(secret: Buffer, code: string, nowMs: number) {
  const given = Buffer.from(code);
  return stepsAround
    .map((distance) => stepAt(nowMs) + distance)
    .find((step) => {
      const expected = Buffer.from(codeOfStep(secret, step));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 without padding, which authenticator apps do not expect. */
export function base32(bytes: Buffer) {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

/** The address that an authenticator app reads from the QR code. */
export function totpUri(secret: Buffer, username: string) {
  const parameters = new URLSearchParams({ secret: base32(secret), issuer: 'Bursar' });
  return `otpauth://totp/Bursar:${encodeURIComponent(username)}?${parameters.toString()}`;
}

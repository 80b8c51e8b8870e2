/** Returns a pseudo-random 32-bit number, the same on every machine, so that the data is reproducible. */
export function dice(index: number, purpose: number) {
  let bits = Math.imul(index ^ 0x9e_37_79_b9, 0x85_eb_ca_6b) ^ Math.imul(purpose + 1, 0xc2_b2_ae_35);
  bits = Math.imul(bits ^ (bits >>> 16), 0x7f_eb_35_2d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x84_6c_a6_8b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Returns a number from 0 to `sides` - 1. */
export const throwDice = (index: number, purpose: number, sides: number) => dice(index, purpose) % sides;

export function pick<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}

const pairs = (() => {
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'.split('');
  return letters.flatMap((first) => letters.map((second) => first + second));
})();

/** Returns 44 pseudo-random characters that look like a Solana address. */
export function walletOf(index: number, purpose: number) {
  let wallet = '';
  for (let part = 0; part < 11; part += 1) {
    const thrown = dice(index, purpose * 16 + part);
    wallet += pick(pairs, thrown & 0xff_ff) + pick(pairs, thrown >>> 16);
  }
  return wallet;
}

/** Four hexadecimal digits at a time, for speed: ten million ids are made from them. */
const hex = Array.from({ length: 0x1_00_00 }, (_, value) => value.toString(16).padStart(4, '0'));
const digits = (value: number) => hex[value & 0xff_ff] ?? '';

/** Returns a reproducible UUID of version 7, like those of the database. */
export function idOf(at: Date, index: number, purpose: number) {
  const ms = at.getTime();
  const time = `${digits(Math.floor(ms / 2 ** 32))}${digits(Math.floor(ms / 2 ** 16))}-${digits(ms)}`;
  const [first, second] = [dice(index, purpose), dice(index, purpose + 1)];
  const version = digits(0x70_00 | (first & 0xf_ff));
  const variant = digits(0x80_00 | ((first >>> 16) & 0x3f_ff));
  return `${time}-${version}-${variant}-${digits(index)}${digits(second)}${digits(second >>> 16)}`;
}

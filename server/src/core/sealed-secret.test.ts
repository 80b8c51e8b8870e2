import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openSecret, type SecretPlace, sealSecret } from './sealed-secret.ts';

const key = randomBytes(32);
const mira: SecretPlace = {
  table: 'user_secret',
  id: '019c0000-0000-7000-8000-000000000001',
  column: 'sol_private_key',
};
const noor: SecretPlace = { ...mira, id: '019c0000-0000-7000-8000-000000000002' } as const;

const notHere = 'This secret is not whole, or was not sealed for this place.';
const anyOfThem = /^This (is not a sealed secret|secret was sealed under another key|secret is not whole)/;

test.each(['', 'short', '語'.repeat(500)])('a sealed secret can be opened: %j', (secret) => {
  expect(openSecret(key, mira, sealSecret(key, mira, secret))).toBe(secret);
});

test('the same secret is sealed differently each time, and the sealed value contains neither it nor the key', () => {
  const secret = 'canary-of-a-private-key';
  const [one, other] = [sealSecret(key, mira, secret), sealSecret(key, mira, secret)];
  expect(one.equals(other)).toBe(false);
  expect(one.includes(secret)).toBe(false);
  expect(one.includes(key)).toBe(false);
});

test('a secret that is moved to another row, column or table does not open', () => {
  const sealed = sealSecret(key, mira, 'secret');
  expect(() => openSecret(key, noor, sealed)).toThrow(notHere);
  const elsewhere = { ...mira, column: 'password_hash' } as unknown as SecretPlace;
  expect(() => openSecret(key, elsewhere, sealed)).toThrow(notHere);
  const otherTable: SecretPlace = { table: 'webhook_secret', id: mira.id, column: 'sealed' };
  expect(() => openSecret(key, otherTable, sealed)).toThrow(notHere);
});

test('the key of one record does not open another, although the same key wraps both', () => {
  const [hers, his] = [sealSecret(key, mira, 'hers'), sealSecret(key, mira, 'his')];
  const wrapped = { from: 9, to: 9 + 12 + 16 + 32 };
  const mixed = Buffer.from(his);
  hers.copy(mixed, wrapped.from, wrapped.from, wrapped.to);
  expect(() => openSecret(key, mira, mixed)).toThrow(notHere);
});

test('opening with another wrapping key fails, and the error says so', () => {
  const sealed = sealSecret(key, mira, 'secret');
  expect(() => openSecret(randomBytes(32), mira, sealed)).toThrow('This secret was sealed under another key.');
});

test('an altered, missing or additional byte is detected', () => {
  const sealed = sealSecret(key, mira, 'a secret of some length');
  for (let at = 0; at < sealed.length; at += 1) {
    const altered = Buffer.from(sealed);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(() => openSecret(key, mira, altered), `byte ${at}`).toThrow(anyOfThem);
    expect(() => openSecret(key, mira, sealed.subarray(0, at)), `cut at ${at}`).toThrow(anyOfThem);
  }
  expect(() => openSecret(key, mira, Buffer.concat([sealed, Buffer.of(0)]))).toThrow(notHere);
});

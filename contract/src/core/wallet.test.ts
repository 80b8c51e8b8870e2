import { expect, test } from 'vitest';
import { walletFault } from './wallet.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function base58(bytes: Uint8Array) {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = alphabet[Number(value % 58n)] + text;
  const first = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(first < 0 ? bytes.length : first) + text;
}

// Public keys of 24 generated key pairs, and two wallets that everyone can look up.
const wallets = [
  'Bmhyv1GdgSLdPNaendybFXJMWX6FaPMnp7eXS4hwjNtd',
  '4jzvHsyXNDYnj8SHrYGBYbEUBaRdf53D1DsZmxVp6AK9',
  'xcggvdk27iipjgcZrsFQ9GdS4LTWKWygE2DTVXBBoZP',
  '2SzyXmTvmpgqQuzvNzDkNEFxPsoXTcr5HbyfdycFY9ix',
  '12NnhbVRmFj6HT9RyJ4UJ27VFJGQGYcJcUjHCn3RvXMk',
  'HRBC564hqfaYbwb6Yj1SGaqVtdvv4xjD4Y2dkZ4QGkEz',
  'EHdtbso9RqUyWDK9BvqDqGZPUwusuXEaGZqyRYCXcvWk',
  '2Hea2t49Pb1WhZeWCoE6KUNBMmhF3TiFRpUKhUMjtY7L',
  '7a53ZeAgTkobcxMHifxRsBYxx6zAeQYhAbxuZfvcbPNv',
  'K2oA35AzKhHHHBrgAepSSchMbneJdSf2gEkerdSTeKk',
  'CJfGSiaVa1wbNExmz3v1BS53qWS8wYeyEf1wKVGZeGEr',
  '4n5biXbmYU4DaVpwPxwWy2aU5QTwHk6ef2oJYZcBrZJk',
  'FvmRF5LWmyWfvi9cuviCkzoajh4734hGxgdSqJ5cuwLR',
  '5ESsk6NTR3WQNCZcqm2VeKLJ9m7CUAe7aA7TuWv2ASx5',
  'dhz4ra5YLYP2NZqnQ4rnodnbwobQZUdo1oreVxDAice',
  'AHpRoXiyWp33vPcDHLDSnk1byrWpnfQfQZYY13nfvGgL',
  'AVGQGUZSTKgY5JaadiuyreNBMPTU292J9xmg45euc1b',
  '8K8VKqRUj8vXVSGzNyxLfFZTinoYmc81pUzFgYWfb8Ur',
  '3o7BgiAwtR6horM8MK3gNKAd4YHiACYZnvez7a6iA6iC',
  '6ePfAAokXhjZKahTUjDjBSspiXqsnYma7Jv6WDgHf5ng',
  '2TwPsAKWodkMYk4528xtCyiCLC2sK2hfEdbtcP4pgAtF',
  '82QDTwNk3xzeXrx1e2CviqnCf9MyGCCa5VenTC1rzvyr',
  '23ujMGgxrvMcX8q6SoKxPMTKr1h1z5nyR2K6Z8UxZdb1',
  'Bnrq6KVNEHGmVSLKH7f34kzjKoBcqZdP8FXF23rss6iE',
  'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg',
  '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
];

test.each(wallets)('the address of a key pair can be a wallet: %s', (address) => {
  expect(walletFault(address)).toBeUndefined();
});

test('an address that no key pair can have is refused', () => {
  // The y of 2 is not on the curve.
  expect(walletFault(base58(Uint8Array.from([2, ...Array<number>(31).fill(0)])))).toBe('not-on-curve');
  // A y that is not below the prime has a shorter form.
  expect(walletFault(base58(Uint8Array.from([0xee, ...Array<number>(30).fill(0xff), 0x7f])))).toBe('not-on-curve');
});

test.each([
  ['z'.repeat(44), 'not-32-bytes'],
  ['1'.repeat(33), 'not-32-bytes'],
  ['z'.repeat(32), 'not-32-bytes'],
  ['2'.repeat(45), 'not-32-bytes'],
  ['2'.repeat(31), 'not-32-bytes'],
  ['', 'not-base58'],
  [`${'2'.repeat(42)}0`, 'not-base58'],
  [`${'2'.repeat(42)}l`, 'not-base58'],
  ['0x52908400098527886E0F7030069857D2E4169EE7', 'not-base58'],
  ['11111111111111111111111111111111', 'not-a-wallet'],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'not-a-wallet'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'not-a-wallet'],
  ['So11111111111111111111111111111111111111112', 'not-a-wallet'],
  ['SysvarC1ock11111111111111111111111111111111', 'not-a-wallet'],
])('%s is refused as %s', (address, fault) => {
  expect(walletFault(address)).toBe(fault);
});

test('about half of all numbers are on the curve, as they are for the curve equation', () => {
  const faults = Array.from({ length: 256 }, (_, first) =>
    walletFault(base58(Uint8Array.from({ length: 32 }, (__, at) => (at === 31 ? 5 : (first * 7 + at * 31) % 256)))),
  );
  const onCurve = faults.filter((fault) => fault === undefined).length;
  expect(onCurve).toBeGreaterThan(90);
  expect(onCurve).toBeLessThan(166);
});

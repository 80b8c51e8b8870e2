import { expect, test } from 'vitest';
import { openAttemptWindow } from './attempt-window.ts';

test('a key at its limit is refused until the window ends, and its refusal counts for no other key', () => {
  const window = openAttemptWindow({ seconds: 900, keysAtMost: 10 });
  const keys = [
    { key: 'site', limit: 3 },
    { key: 'network', limit: 2 },
  ];
  expect(window.charge(keys)).toBeUndefined();
  expect(window.charge(keys)).toBeUndefined();
  for (let round = 0; round < 5; round += 1) {
    const seconds = window.charge(keys) ?? 0;
    expect(seconds).toBeGreaterThan(890);
    expect(seconds).toBeLessThanOrEqual(900);
  }
  expect(window.charge([{ key: 'site', limit: 3 }])).toBeUndefined();
  expect(window.charge([{ key: 'site', limit: 3 }])).toBeDefined();
});

test('a refunded attempt does not count', () => {
  const window = openAttemptWindow({ seconds: 900, keysAtMost: 10 });
  for (let round = 0; round < 20; round += 1) {
    expect(window.charge([{ key: 'network', limit: 1 }])).toBeUndefined();
    window.refund('network');
  }
});

test('a key may be tried again when the window has passed', async () => {
  const window = openAttemptWindow({ seconds: 0.05, keysAtMost: 10 });
  const charge = () => window.charge([{ key: 'network', limit: 1 }]);
  expect(charge()).toBeUndefined();
  expect(charge()).toBeDefined();
  await expect.poll(charge).toBeUndefined();
  expect(charge()).toBeDefined();
});

test('the oldest keys are forgotten when there are too many', () => {
  const window = openAttemptWindow({ seconds: 900, keysAtMost: 3 });
  const charge = (key: string) => window.charge([{ key, limit: 1 }]);
  for (const key of ['first', 'second', 'third', 'fourth']) expect(charge(key)).toBeUndefined();
  for (const key of ['second', 'third', 'fourth']) expect(charge(key)).toBeDefined();
  expect(charge('first')).toBeUndefined();
});

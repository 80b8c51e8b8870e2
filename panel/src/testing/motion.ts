import type {} from '@vitest/browser-playwright';
import { onTestFinished } from 'vitest';
import { cdp } from 'vitest/browser';

const emulate = (value: '' | 'reduce') =>
  cdp().send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value }] });

/** Emulates a preference for reduced motion until the test ends. */
export async function reduceMotion() {
  await emulate('reduce');
  onTestFinished(async () => {
    await emulate('');
  });
}

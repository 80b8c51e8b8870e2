import type {} from '@vitest/browser-playwright';
import { onTestFinished } from 'vitest';
import { cdp } from 'vitest/browser';

const emulate = (value: '' | 'reduce') =>
  cdp().send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value }] });

/** Until the test ends, the page is that of somebody who has asked their system for less motion. */
export async function reduceMotion() {
  await emulate('reduce');
  onTestFinished(async () => {
    await emulate('');
  });
}

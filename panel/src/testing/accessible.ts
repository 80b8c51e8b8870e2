import axe, { type RunOptions } from 'axe-core';
import { expect } from 'vitest';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Expects no violation of WCAG 2.2 A and AA and of axe's best practices, and readable colors in the other theme. */
export async function expectAccessible() {
  await expectNoViolations({ type: 'tag', values: tags });
  changeTheme();
  // Only colors differ between the themes.
  await expectNoViolations({ type: 'rule', values: ['color-contrast'] });
  changeTheme();
}

async function expectNoViolations(runOnly: NonNullable<RunOptions['runOnly']>) {
  await waitForAnimations();
  const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'] });
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  expect(found, `what axe finds, ${document.documentElement.dataset['mantineColorScheme']}`).toEqual([]);
}

/** Colors depend only on this attribute. A press on the toggle would close an open overlay. */
function changeTheme() {
  const { dataset } = document.documentElement;
  dataset['mantineColorScheme'] = dataset['mantineColorScheme'] === 'dark' ? 'light' : 'dark';
  for (const fading of document.getAnimations().filter(isFading)) fading.finish();
}

/** Waits for loading and animations to end, because half-faded text has the wrong contrast. */
async function waitForAnimations() {
  // A dialog is in the document, transparent and without its name, before its animation starts.
  await expect.poll(() => [...document.querySelectorAll('[role="dialog"]')].every(isOpen)).toBe(true);
  await expect.poll(() => document.querySelectorAll('[aria-busy="true"], .skeleton').length).toBe(0);
  await expect.poll(() => document.getAnimations().filter(isFading).length).toBe(0);
}

/** The spinner of a button never ends by itself. */
const isFading = ({ playState, effect }: Animation) =>
  playState === 'running' && effect?.getComputedTiming().iterations !== Infinity;

const isOpen = (shown: Element) => shown.hasAttribute('aria-labelledby') && getComputedStyle(shown).opacity === '1';

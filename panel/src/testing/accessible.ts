import axe, { type RunOptions } from 'axe-core';
import { expect } from 'vitest';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** No violation of WCAG 2.2 A or AA nor of axe's best practices, and readable in the other theme too. */
export async function expectAccessible() {
  await expectNoViolations({ type: 'tag', values: tags });
  changeTheme();
  // Words and roles are the same there: only colors change.
  await expectNoViolations({ type: 'rule', values: ['color-contrast'] });
  changeTheme();
}

async function expectNoViolations(runOnly: NonNullable<RunOptions['runOnly']>) {
  await settled();
  const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'] });
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  expect(found, `what axe finds, ${document.documentElement.dataset['mantineColorScheme']}`).toEqual([]);
}

/** Colors depend on this attribute alone; a press on the toggle would close what is open. */
function changeTheme() {
  const { dataset } = document.documentElement;
  dataset['mantineColorScheme'] = dataset['mantineColorScheme'] === 'dark' ? 'light' : 'dark';
  for (const fading of document.getAnimations()) fading.finish();
}

/** Half-faded text has the wrong contrast. */
async function settled() {
  await expect.poll(() => document.querySelectorAll('[aria-busy="true"], .skeleton').length).toBe(0);
  await expect.poll(() => document.getAnimations().filter(({ playState }) => playState === 'running').length).toBe(0);
}

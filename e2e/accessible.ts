import { expect, type Page } from '@playwright/test';
import axeCore, { type RunOptions } from 'axe-core';

type Axe = typeof axeCore;
type RunOnly = NonNullable<RunOptions['runOnly']>;

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** No violation of WCAG 2.2 A or AA nor of axe's best practices, readable in the other theme, and nothing too wide. */
export async function expectAccessible(page: Page) {
  await bringAxe(page);
  await expectNoViolations(page, { type: 'tag', values: rules });
  await expectNoSidewaysScroll(page);
  // The commit gate looks at one theme, the nightly run at both.
  if (process.env['E2E_SET'] === 'gate') return;
  await changeTheme(page);
  // The words and roles are the same there: only colours change.
  await expectNoViolations(page, { type: 'rule', values: ['color-contrast'] });
  await changeTheme(page);
}

/** Half a megabyte: once for a page, however often it looks. */
async function bringAxe(page: Page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeCore.source);
}

async function expectNoViolations(page: Page, runOnly: RunOnly) {
  // A row that has scrolled half under the header of its table would count as a target that is too small.
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
  await settled(page);
  const found = await page.evaluate(async (only) => {
    const { axe } = window as unknown as { axe: Axe };
    const { violations } = await axe.run(document, { runOnly: only, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }, runOnly);
  const theme = await page.evaluate(() => document.documentElement.dataset['mantineColorScheme']);
  expect(found, `what axe finds at ${page.url()}, ${theme}`).toEqual([]);
}

/** Colours hang on this attribute alone; a press on the toggle would close what is open. */
function changeTheme(page: Page) {
  return page.evaluate(() => {
    const { dataset } = document.documentElement;
    dataset['mantineColorScheme'] = dataset['mantineColorScheme'] === 'dark' ? 'light' : 'dark';
    // Where a test holds the clock, a colour would fade for ever.
    for (const fading of document.getAnimations()) fading.finish();
  });
}

/** A phone makes its whole window wider when anything sticks out, so the window's own width says nothing there. */
async function expectNoSidewaysScroll(page: Page) {
  const screen = page.viewportSize()?.width ?? 0;
  const widths = await page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth]);
  expect(Math.max(...widths), `the width of ${page.url()} on a screen of ${screen}px`).toBeLessThanOrEqual(screen);
}

/** Everything has loaded and nothing moves: half-faded text has the wrong contrast. */
export async function settled(page: Page) {
  await expect(page.locator('[aria-busy="true"], .skeleton')).toHaveCount(0);
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
}

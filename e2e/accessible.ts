import { expect, type Page } from '@playwright/test';
import axeCore, { type RunOptions } from 'axe-core';

type Axe = typeof axeCore;
type RunOnly = NonNullable<RunOptions['runOnly']>;

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Expects no violation of WCAG 2.2 A and AA or axe's best practices, contrast in both themes, and no overflow. */
export async function expectAccessible(page: Page) {
  await loadAxe(page);
  await expectNoViolations(page, { type: 'tag', values: rules });
  await expectNoSidewaysScroll(page);
  // The commit gate checks one theme, the nightly run both.
  if (process.env['E2E_SET'] === 'gate') return;
  await changeTheme(page);
  // Texts and roles are the same in both themes; only colors differ.
  await expectNoViolations(page, { type: 'rule', values: ['color-contrast'] });
  await changeTheme(page);
}

/** Loads axe once per page, because it is half a megabyte. */
async function loadAxe(page: Page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeCore.source);
}

async function expectNoViolations(page: Page, runOnly: RunOnly) {
  // A row that is half covered by the table header would count as a target that is too small.
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
  await waitUntilIdle(page);
  const found = await page.evaluate(async (only) => {
    const { axe } = window as unknown as { axe: Axe };
    const { violations } = await axe.run(document, { runOnly: only, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }, runOnly);
  const theme = await page.evaluate(() => document.documentElement.dataset['mantineColorScheme']);
  expect(found, `what axe finds at ${page.url()}, ${theme}`).toEqual([]);
}

/** Changes only the attribute that selects the colors, because a click on the toggle would close open overlays. */
function changeTheme(page: Page) {
  return page.evaluate(() => {
    const { dataset } = document.documentElement;
    dataset['mantineColorScheme'] = dataset['mantineColorScheme'] === 'dark' ? 'light' : 'dark';
    // In a test that stops the clock, a color transition would never end.
    for (const fading of document.getAnimations()) fading.finish();
  });
}

/** Compares with the viewport, because a mobile browser widens its window when content overflows. */
async function expectNoSidewaysScroll(page: Page) {
  const screen = page.viewportSize()?.width ?? 0;
  const widths = await page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth]);
  expect(Math.max(...widths), `the width of ${page.url()} on a screen of ${screen}px`).toBeLessThanOrEqual(screen);
}

/** Waits until everything has loaded and no animation runs: half-faded text has the wrong contrast. */
export async function waitUntilIdle(page: Page) {
  await expect(page.locator('[aria-busy="true"], .skeleton')).toHaveCount(0);
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
}

import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** No violation of WCAG 2.2 A or AA nor of axe's best practices, and nothing wider than the screen. */
export async function expectAccessible(page: Page) {
  await settled(page);
  const axe = new AxeBuilder({ page }).options({ runOnly: rules, resultTypes: ['violations'] });
  const { violations } = await axe.setLegacyMode().analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  expect(found, `what axe finds at ${page.url()}`).toEqual([]);
  await expectNoSidewaysScroll(page);
}

/** A phone makes its whole window wider when anything sticks out, so the window's own width says nothing there. */
async function expectNoSidewaysScroll(page: Page) {
  const screen = page.viewportSize()?.width ?? 0;
  const widths = await page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth]);
  expect(Math.max(...widths), `the width of ${page.url()} on a screen of ${screen}px`).toBeLessThanOrEqual(screen);
}

/** Everything has come and stands still: half-faded text has the wrong contrast. */
export async function settled(page: Page) {
  await expect(page.locator('[aria-busy="true"], .skeleton')).toHaveCount(0);
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
}

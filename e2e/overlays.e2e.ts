import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { heading } from './page-helpers.ts';
import { phoneOnly, onceOnly } from './tags.ts';

test('with reduced motion, nothing is animated', phoneOnly, async ({ page }) => {
  await page.goto('/dashboard/tickets');
  await page.getByRole('button', { name: 'New Ticket' }).first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await longestDuration(page)).toBeLessThan(0.001);
});

/** Returns the longest transition or animation on the page, in seconds. */
function longestDuration(page: Page) {
  return page.evaluate(() => {
    const durations = [...document.querySelectorAll('*')].flatMap((element) => {
      const { transitionDuration, animationDuration } = getComputedStyle(element);
      return `${transitionDuration}, ${animationDuration}`.split(', ');
    });
    return Math.max(...durations.map((duration) => Number.parseFloat(duration)));
  });
}

for (const list of ['/dashboard/manage-withdraw?status=Completed', '/dashboard/tickets?density=compact']) {
  test(
    `a closed overlay over ${list} leaves no entry in the history, however it was opened`,
    onceOnly,
    async ({ page }) => {
      const overlay = page.getByRole('dialog');
      const link = page.getByRole('link', { name: /^View (withdrawal|ticket)/ }).nth(1);
      const closes = async () => {
        await expect(overlay).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(overlay).toHaveCount(0);
        await expect(page).toHaveURL(list);
      };
      await page.goto('/dashboard/maintenance');
      await page.goto(list);
      await link.click();
      await closes();
      await link.click();
      await expect(overlay).toBeVisible();
      await page.reload();
      await closes();
      await page.goForward();
      await expect(overlay).toBeVisible();
      const opened = page.url();
      await closes();
      await page.goBack();
      await expect(heading(page, 'Maintenance')).toBeVisible();

      await page.goto(opened);
      await closes();
      await page.goBack();
      await expect(heading(page, 'Maintenance')).toBeVisible();
    },
  );
}

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { heading } from './pieces.ts';
import { inGateOnce, onceOnly, phoneOnly } from './tags.ts';

test('a modal takes 300 ms to come and its backdrop 150 ms', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/tickets');
  const seen = durationsWhileOpening(page);
  await page.getByRole('button', { name: 'New Ticket' }).first().click();
  expect(await seen).toEqual({ modal: '0.3s', backdrop: '0.15s' });
});

/** The durations are there only while something moves. */
function durationsWhileOpening(page: Page) {
  return page.evaluate(async () => {
    const moving = (selector: string) => {
      const element = document.querySelector(selector);
      const duration = element ? getComputedStyle(element).transitionDuration : '0s';
      return duration === '0s' ? undefined : duration;
    };
    let modal: string | undefined;
    let backdrop: string | undefined;
    while (!modal || !backdrop) {
      await new Promise((resolve) => {
        requestAnimationFrame(resolve);
      });
      modal ??= moving('.mantine-Modal-content');
      backdrop ??= moving('.mantine-Modal-overlay');
    }
    return { modal, backdrop };
  });
}

test('for whoever asked for no motion nothing takes its time to come or to change', phoneOnly, async ({ page }) => {
  await page.goto('/dashboard/tickets');
  await page.getByRole('button', { name: 'New Ticket' }).first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await longestDuration(page)).toBeLessThan(0.001);
});

/** In seconds, of all that the rules of the page would let move. */
function longestDuration(page: Page) {
  return page.evaluate(() => {
    const durations = [...document.querySelectorAll('*')].flatMap((element) => {
      const { transitionDuration, animationDuration } = getComputedStyle(element);
      return `${transitionDuration}, ${animationDuration}`.split(', ');
    });
    return Math.max(...durations.map((duration) => Number.parseFloat(duration)));
  });
}

test('at most 20 toasts are kept, the newest', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/admin');
  await page.getByRole('button', { name: 'Add New Admin' }).click();
  const modal = page.getByRole('dialog');
  await modal.getByLabel('Username').fill('somebody');
  await modal.getByLabel(/^Password/).fill('one of a pair');
  await modal.getByLabel('Confirm Password').fill('not the other');
  const toasts = page.locator('.mantine-Notification-root');
  const send = modal.getByRole('button', { name: 'Add Admin' });
  for (let press = 0; press < 25; press += 1) await send.evaluate((button: HTMLButtonElement) => button.click());
  await expect(toasts).toHaveCount(20);
  await expect(toasts.last()).toContainText("Passwords don't match");
});

test('a toast can be closed', async ({ page }) => {
  await page.goto('/dashboard/admin');
  await page.getByRole('button', { name: 'Add New Admin' }).click();
  const modal = page.getByRole('dialog');
  await modal.getByLabel('Username').fill('somebody');
  await modal.getByLabel(/^Password/).fill('one of a pair');
  await modal.getByLabel('Confirm Password').fill('not the other');
  await modal.getByRole('button', { name: 'Add Admin' }).click();
  await page.getByRole('button', { name: 'Close notification' }).click();
  await expect(page.locator('.mantine-Notification-root')).toHaveCount(0);
});

for (const list of ['/dashboard/manage-withdraw?status=Completed', '/dashboard/tickets?density=compact']) {
  test(
    `what is closed over ${list} leaves nothing behind in the history, however it was opened`,
    inGateOnce,
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

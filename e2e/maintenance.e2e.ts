import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { callApi, heading } from './page-helpers.ts';
import { inGate, onceOnly } from './tags.ts';

const message =
  'We are currently upgrading our systems to serve you better. Please check back after the maintenance window. ' +
  'Thank you for your patience.';

const theSwitch = (page: Page) => page.getByRole('switch', { name: 'Maintenance mode' });
const clock = (page: Page) => page.getByRole('timer', { name: 'Time left' });
const mark = (page: Page) => page.getByRole('banner').getByRole('link', { name: 'Under maintenance' });

async function openMaintenance(page: Page) {
  await page.goto('/dashboard/maintenance');
  await expect(heading(page, 'Maintenance')).toBeVisible();
  await expect(theSwitch(page)).toBeVisible();
}

const switchByCall = (page: Page, active: boolean) =>
  callApi(page, 'POST', { path: '/api/maintenance', body: { active } });

/** All other tests expect maintenance to be off. */
test.afterEach(async ({ visit }) => {
  const page = await visit({});
  await page.goto('/dashboard/maintenance');
  expect((await switchByCall(page, false)).status).toBe(200);
});

test('the switch starts and ends maintenance, and the state survives a reload', inGate, async ({ page }) => {
  await openMaintenance(page);
  await expect(page.getByText('Running Normally', { exact: true })).toBeVisible();
  await expect(clock(page)).toHaveCount(0);
  await expect(page.getByText(message)).toHaveCount(0);

  await theSwitch(page).click();
  await expect(page.getByText('Active (Under Maintenance)', { exact: true })).toBeVisible();
  await expect(page.getByText(message, { exact: true })).toBeVisible();
  await expect(page.getByText('Switched on by ines.moreau just now')).toBeVisible();
  await page.reload();
  await expect(theSwitch(page)).toBeChecked();
  await expect(page.getByText('Active (Under Maintenance)', { exact: true })).toBeVisible();
  await expect(page.getByText(message, { exact: true })).toBeVisible();

  await theSwitch(page).click();
  await expect(page.getByText('Running Normally', { exact: true })).toBeVisible();
  await expect(page.getByText(message)).toHaveCount(0);
  await page.reload();
  await expect(theSwitch(page)).not.toBeChecked();
  await expect(page.getByText('Switched off by ines.moreau just now')).toBeVisible();
});

test('every other administrator sees it within a second, on every screen', onceOnly, async ({ page, visit }) => {
  const colleague = await visit({ as: 'amara.osei', server: 'second' });
  const elsewhere = await visit({ as: 'lucia.brandt', server: 'second' });
  const stream = colleague.waitForResponse('**/api/events');
  const streamElsewhere = elsewhere.waitForResponse('**/api/events');
  await openMaintenance(colleague);
  await elsewhere.goto('/dashboard/settings');
  await Promise.all([stream, streamElsewhere]);
  await page.goto('/dashboard/maintenance');
  await expect(mark(elsewhere)).toHaveCount(0);
  expect((await switchByCall(page, true)).status).toBe(200);
  await expect(clock(colleague)).toBeVisible({ timeout: 1_000 });
  await expect(mark(elsewhere)).toBeVisible({ timeout: 1_000 });
  await expect(colleague.getByText('Switched on by ines.moreau just now')).toBeVisible();
  expect((await switchByCall(page, false)).status).toBe(200);
  await expect(clock(colleague)).toHaveCount(0, { timeout: 1_000 });
  await expect(mark(elsewhere)).toHaveCount(0, { timeout: 1_000 });
});

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { answerFault, callApi, countCalls, heading, holdLiveUpdates, toast } from './pieces.ts';
import { inGate, inGateOnce, onceOnly } from './tags.ts';

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

async function secondsShown(page: Page) {
  const shown = await clock(page).textContent();
  expect(shown).toMatch(/^\d\d:\d\d:\d\d$/);
  const [hours = 0, minutes = 0, seconds = 0] = (shown ?? '').split(':').map(Number);
  return hours * 3_600 + minutes * 60 + seconds;
}

const switchByCall = (page: Page, active: boolean) =>
  callApi(page, 'POST', { path: '/api/maintenance', body: { active } });

/** Every other test expects the platform to be open. */
test.afterEach(async ({ visit }) => {
  const page = await visit({});
  await page.goto('/dashboard/maintenance');
  expect((await switchByCall(page, false)).status).toBe(200);
});

test('the switch begins and ends maintenance, and a reload finds it so', inGate, async ({ page }) => {
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

test(
  'the countdown starts at 3600 seconds, drops one per second, and survives a reload',
  onceOnly,
  async ({ page }) => {
    await openMaintenance(page);
    await theSwitch(page).click();
    await expect(clock(page)).toBeVisible();
    expect(await secondsShown(page)).toBeGreaterThanOrEqual(3_598);
    const shown = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const timer = document.querySelector('[role="timer"]');
          const seen: string[] = [];
          const observer = new MutationObserver(() => {
            seen.push(timer?.textContent ?? '');
            if (seen.length === 4) resolve(seen);
          });
          if (timer) observer.observe(timer, { subtree: true, characterData: true, childList: true });
        }),
    );
    const ticks = shown.map((text) => Number(text.slice(-2)));
    expect(ticks.slice(1).map((tick, index) => (60 + (ticks[index] ?? 0) - tick) % 60)).toEqual([1, 1, 1]);
    const before = await secondsShown(page);
    await page.reload();
    await expect(clock(page)).toBeVisible();
    const after = await secondsShown(page);
    expect(after).toBeLessThanOrEqual(before);
    expect(after).toBeGreaterThan(before - 20);
  },
);

test('the countdown stops at 0', onceOnly, async ({ freshPage: page }) => {
  await page.clock.install();
  // The server's clock goes on as it does; only this browser lets an hour pass. Whatever it asked for again would take
  // it back to the time that is.
  await holdLiveUpdates(page);
  await openMaintenance(page);
  await page.route('**/api/maintenance', (route) =>
    route.request().method() === 'GET' ? route.abort('aborted') : route.continue(),
  );
  await theSwitch(page).click();
  await expect(clock(page)).toBeVisible();
  await page.clock.fastForward('59:30');
  await expect.poll(() => secondsShown(page)).toBeLessThanOrEqual(30);
  expect(await secondsShown(page)).toBeGreaterThan(0);
  await page.clock.fastForward('00:40');
  await expect(clock(page)).toHaveText('00:00:00');
  await page.clock.fastForward('10:00');
  await expect(clock(page)).toHaveText('00:00:00');
  await page.unroute('**/api/maintenance');
});

test('a viewer whose clock is wrong sees the same time left', onceOnly, async ({ page, visit }) => {
  const colleague = await visit({ as: 'kenji.sato', server: 'second' });
  await colleague.clock.install({ time: new Date(Date.now() + 5 * 3_600_000) });
  await openMaintenance(page);
  await theSwitch(page).click();
  await expect(clock(page)).toBeVisible();
  await openMaintenance(colleague);
  await expect(clock(colleague)).toBeVisible();
  const [here, there] = [await secondsShown(page), await secondsShown(colleague)];
  expect(Math.abs(here - there)).toBeLessThanOrEqual(3);
  expect(there).toBeGreaterThan(3_000);
});

test('every other administrator sees it within a second, on every screen', inGateOnce, async ({ page, visit }) => {
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

test('whose role does not allow it finds the switch disabled and the reason beside it', onceOnly, async ({ visit }) => {
  const page = await visit({ as: 'amara.osei' });
  await openMaintenance(page);
  await expect(theSwitch(page)).toBeDisabled();
  await expect(page.getByText('Your role does not allow this.')).toBeVisible();
});

test('a switch that fails goes back and says so, and Retry does it', onceOnly, async ({ page, watch }) => {
  watch.expectFailureOf('/api/maintenance');
  await openMaintenance(page);
  const calls = countCalls(page, '/api/maintenance', 'POST');
  await page.route('**/api/maintenance', (route) =>
    route.request().method() === 'POST' ? answerFault(route) : route.fallback(),
  );
  await theSwitch(page).click();
  const told = toast(page, 'Maintenance mode was not changed');
  await expect(told).toBeVisible();
  expect(calls()).toBeGreaterThan(0);
  await expect(theSwitch(page)).not.toBeChecked();
  await expect(page.getByText('Running Normally', { exact: true })).toBeVisible();
  await page.unroute('**/api/maintenance');
  await told.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('Active (Under Maintenance)', { exact: true })).toBeVisible();
});

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { heading } from './page-helpers.ts';
import { cancelRun, storeJob, withOwner } from './owner.ts';
import {
  dialog,
  distribution,
  cancelAll,
  jobPage,
  openRun,
  plan,
  press,
  readRun,
  rows,
  runsAddress,
  runsOf,
  state,
  steer,
  reverseAll,
} from './run-page.ts';
import { desktopOnly, inGateOnce, onceOnly } from './tags.ts';

const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

test('runs are filtered by job and state, and lines by the reason they were skipped', onceOnly, async ({ page }) => {
  await reverseAll(page, 'gmp-distro');
  const { id } = await plan(page, 'gmp-distro');
  await page.goto(runsAddress);
  await expect(heading(page, 'Runs')).toBeVisible();
  await expect(page.getByText(/Planned: .*GMP distribution/)).toBeVisible();
  await press(page, 'Filter');
  await page.getByRole('menuitemradio', { name: 'GMP distribution' }).click();
  await press(page, 'Filter');
  await page.getByRole('menuitemradio', { name: 'Planned' }).click();
  await expect.poll(() => searchOf(page)).toEqual({ kind: 'gmp-distro', state: 'planned' });
  await expect(rows(page)).toHaveCount(1);
  await rows(page).getByRole('link').first().click();
  await expect(page).toHaveURL(new RegExp(id));
  await page.getByRole('link', { name: /^Blacklisted/ }).click();
  await expect.poll(() => searchOf(page)).toEqual({ skip: 'blacklisted' });
  const left = (await readRun(page, id)).skips.find(({ reason }) => reason === 'blacklisted')?.lines ?? 0;
  await expect(rows(page)).toHaveCount(left);
  await expect(rows(page).first()).toContainText('Blacklisted');
  await steer(page, id, 'cancel');
});

test(
  'an unpaid day is planned again from its own run, however long ago it was',
  onceOnly,
  async ({ page, environment }) => {
    await cancelAll(page, 'gmp-distro');
    await storeJob(environment, 'gmp-distro', distribution);
    const day = '2026-01-05';
    const left = await withOwner(environment, async ({ pool }) => {
      const { rows: inserted } = await pool.query<{ id: string }>(
        `insert into run (kind, period, day, part, asset, settings, settings_version, as_of)
         values ('gmp-distro', $1::date::text, $1::date, 0, 'GMP', $2, 1, now()) returning id`,
        [day, JSON.stringify(distribution)],
      );
      const id = inserted[0]?.id ?? '';
      await cancelRun(pool, id);
      return id;
    });
    await openRun(page, left);
    await press(page, 'Plan again');
    await expect(state(page)).toHaveText('Planned');
    await expect(page).not.toHaveURL(new RegExp(left));
    const [newest] = await runsOf(page, 'gmp-distro');
    expect(newest).toMatchObject({ period: day, state: 'planned' });
    await press(page, 'Run');
    await dialog(page, 'Run').getByRole('button', { name: 'Run', exact: true }).click();
    await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
    await openRun(page, left);
    await expect(page.getByRole('main').getByRole('button', { name: 'Run', exact: true })).toHaveAccessibleDescription(
      'This run has already ended.',
    );
    await expect(page.getByRole('button', { name: 'Plan again' })).toHaveCount(0);
    await reverseAll(page, 'gmp-distro');
  },
);

test('the calendar shows manual runs, scheduled runs, and other months', async ({ page, environment }) => {
  await reverseAll(page, 'gmp-distro');
  const { id } = await plan(page, 'gmp-distro');
  await page.goto(`${runsAddress}/calendar`);
  await expect(heading(page, 'Run calendar')).toBeVisible();
  const today = page.locator('.calendar-day').filter({ has: page.locator('[aria-current="date"]') });
  const more = today.getByRole('button', { name: /more$/ });
  await expect(today.getByRole('link').first()).toBeVisible();
  if (await more.isVisible()) await more.click();
  const entry = today.locator(`a[href="${runsAddress}/${id}"]`);
  await expect(entry).toContainText('GMP distribution');
  await expect(entry).toContainText('Planned');
  await expect(entry).toContainText('manual');

  await storeJob(environment, 'gmp-distro', { ...distribution, enabled: true });
  await page.getByRole('link', { name: /^Next month/ }).click();
  await expect(page).toHaveURL(/month=20\d\d-\d\d$/);
  await page.reload();
  await expect(page.getByText('Scheduled', { exact: true }).first()).toBeVisible();
  await storeJob(environment, 'gmp-distro', distribution);
  await page.getByRole('link', { name: 'This month' }).click();
  await today.locator(`a[href="${runsAddress}/${id}"]`).or(more).first().waitFor();
  if (await more.isVisible()) await more.click();
  await entry.click();
  await expect(page).toHaveURL(new RegExp(id));
  await steer(page, id, 'cancel');
});

test('Run Check plans the check that it saved', inGateOnce, async ({ page }) => {
  await cancelAll(page, 'referral-check');
  await page.goto(jobPage('referral-check'));
  await press(page, 'Run Check');
  await expect(page.getByRole('alert')).toContainText('The check is planned; nothing was paid');
  const [run] = await runsOf(page, 'referral-check');
  await page.locator(`a[href="${runsAddress}/${run?.id}"]`).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Referral check,/ })).toBeVisible();
  await cancelAll(page, 'referral-check');
});

test(
  'an Admin with the Support permission set sees why they cannot control a run',
  onceOnly,
  async ({ page, visit }) => {
    await reverseAll(page, 'gmp-distro');
    const { id } = await plan(page, 'gmp-distro');
    const support = await visit({ as: 'amara.osei' });
    await openRun(support, id);
    for (const name of ['Run', 'Cancel', 'Reverse']) {
      const button = support.getByRole('main').getByRole('button', { name, exact: true });
      await expect(button).toHaveAccessibleDescription('Your role does not allow this.');
    }
    await support.goto(jobPage('gmp-distro'));
    const preview = support.getByRole('button', { name: 'Preview' });
    await expect(preview).toHaveAccessibleDescription('Your role does not allow this.');
    await steer(page, id, 'cancel');
  },
);

test('every administrator who views a run sees its live progress', desktopOnly, async ({ page, visit }) => {
  await reverseAll(page, 'gmp-distro');
  const { id } = await plan(page, 'gmp-distro');
  const colleague = await visit({ as: 'kenji.sato', server: 'second' });
  const stream = colleague.waitForResponse('**/api/events');
  await openRun(colleague, id);
  await stream;
  await steer(page, id, 'cancel');
  await expect(state(colleague)).toHaveText('Canceled', { timeout: 2_000 });
});

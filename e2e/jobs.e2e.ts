import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { installedJob, storeJob } from './owner.ts';
import { approveNewest, callApi, countCalls, heading, stopClock } from './page-helpers.ts';
import { inGate, inGateOnce, onceOnly } from './tags.ts';

const under = '/dashboard/settings/cronjobs';
const alert = (page: Page) => page.getByRole('alert');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const enabled = (page: Page) => page.getByRole('switch', { name: 'Enabled' });

async function open(page: Page, job: string, title: string) {
  await page.goto(`${under}/${job}`);
  await expect(heading(page, title)).toBeVisible();
  await expect(page.getByText(/^Version \d+(,| \(default\))/)).toBeVisible();
}

type Stored = { settings: Record<string, unknown>; version: number };

async function stored(page: Page, job: string) {
  return (await callApi(page, 'GET', { path: `/api/jobs/${job}` })).json as Stored;
}

/** Saves a change that needs no second approver. */
async function save(page: Page, job: string, change: object) {
  const { settings, version } = await stored(page, job);
  const body = { settings: { ...settings, ...change }, version };
  const answer = await callApi(page, 'POST', { path: `/api/jobs/${job}`, body });
  expect(answer.status).toBe(200);
  return version + 1;
}

const needsApproval = 'Change requested. It takes effect when a second approver approves it.';

const share = (page: Page, name: 'Base' | 'Bonus' | 'Loyalty') => page.getByLabel(`${name} reward`);
const payout = { enabled: false, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };

test('a stake payout has a switch and three shares of 50, 20 and 30 percent, with an explanation', async ({
  page,
  environment,
}) => {
  // Earlier tests of this file change the settings.
  const version = await storeJob(environment, 'stake-payout', await installedJob(environment, 'stake-payout'));
  await open(page, 'stake-payout', 'Stake Payout Settings');
  await expect(enabled(page)).not.toBeChecked();
  await expect(share(page, 'Base')).toHaveValue('50');
  await expect(share(page, 'Bonus')).toHaveValue('20');
  await expect(share(page, 'Loyalty')).toHaveValue('30');
  await expect(page.getByText('100% of 100%')).toBeVisible();
  for (const meaning of [
    'Paid to every active stake.',
    'Paid where the owner holds a rank, Silver or above.',
    'Set aside, and paid in one sum when the stake completes its full duration.',
  ])
    await expect(page.getByText(meaning)).toBeVisible();
  await expect(page.getByText(`Version ${version} (default)`)).toBeVisible();
});

test(
  'a stake payout is saved as a new version with an alert, and is still there after a reload',
  inGate,
  async ({ page, environment }) => {
    const before = await storeJob(environment, 'stake-payout', { ...payout, enabled: true });
    await open(page, 'stake-payout', 'Stake Payout Settings');
    await expect(
      page.getByText(
        'Due every day at 00:00 UTC, for the day that ended. Above the limit, an administrator must start it.',
      ),
    ).toBeVisible();
    await enabled(page).click();
    await press(page, 'Save Settings');
    await expect(alert(page)).toHaveText(
      `Stake payout settings saved as version ${before + 1}. Saving pays nothing; the next run uses these settings.`,
    );
    await expect(page.getByText(`Version ${before + 1}, saved by ines.moreau just now`)).toBeVisible();
    await page.reload();
    await expect(enabled(page)).not.toBeChecked();
  },
);

test(
  'another administrator’s new version appears within a second; typed input is kept and the conflict is shown',
  onceOnly,
  async ({ freshPage: page, visit, watch, environment }) => {
    await storeJob(environment, 'stake-payout', { ...payout, enabled: true });
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    const stream = page.waitForResponse('**/api/events');
    await open(page, 'stake-payout', 'Stake Payout Settings');
    await stream;
    await colleague.goto('/dashboard/maintenance');
    await share(page, 'Bonus').fill('5');
    const { letReadingTimePass } = await stopClock(page);
    await save(colleague, 'stake-payout', { enabled: false });
    const conflict = 'Someone else has just saved this. Check the new values and save again.';
    await expect(alert(page)).toHaveText(conflict, { timeout: 1_000 });
    await expect(enabled(page)).not.toBeChecked();
    await expect(page.getByText(/saved by kenji\.sato just now$/)).toBeVisible();
    await expect(share(page, 'Bonus')).toHaveValue('5');
    watch.expectFailureOf('/api/jobs/stake-payout');
    const refused = page.waitForResponse((response) => response.request().method() === 'POST');
    await press(page, 'Save Settings');
    expect((await refused).status()).toBe(409);
    await expect(alert(page)).toHaveText(conflict);
    await letReadingTimePass();
    await press(page, 'Save Settings');
    await expect(alert(page).filter({ hasText: needsApproval })).toBeVisible();
    await approveNewest(colleague, 'settings');
    expect((await stored(page, 'stake-payout')).settings).toEqual({ ...payout, bonusReward: 5 });
  },
);

test(
  'two concurrent saves create one version, and the other administrator sees the conflict in place',
  inGateOnce,
  async ({ page, visit, watch }) => {
    watch.expectFailureOf('/api/jobs/gmp-distro');
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    const pages = [page, colleague];
    for (const one of pages) await open(one, 'gmp-distro', 'GMP Distribution');
    const before = await stored(page, 'gmp-distro');
    const bothPressed = Promise.withResolvers<void>();
    let waiting = pages.length;
    for (const one of pages) {
      await one.route('**/api/jobs/gmp-distro', async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        waiting -= 1;
        if (waiting === 0) bothPressed.resolve();
        await bothPressed.promise;
        return route.continue();
      });
    }
    // The time decides nothing that is paid, so it is saved without a second approver.
    await page.getByLabel('Time').fill('10:11');
    await colleague.getByLabel('Time').fill('20:22');
    await Promise.all(pages.map((one) => press(one, 'Save Settings')));
    for (const one of pages) await expect(alert(one).first()).toBeVisible();
    const texts = await Promise.all(pages.map((one) => alert(one).first().textContent()));
    expect(texts.filter((text) => text?.startsWith('Someone else has just saved this.'))).toHaveLength(1);
    expect((await stored(page, 'gmp-distro')).version).toBe(before.version + 1);
  },
);

test('a referral check has a period, which waits for a second approver, and Run Check, which says that nothing was paid', async ({
  page,
  environment,
  visit,
}) => {
  const before = await storeJob(environment, 'referral-check', { period: 30, reward: 5 });
  await open(page, 'referral-check', 'Referral Check');
  const period = page.getByLabel('Period in days');
  await expect(period).toHaveValue('30');
  const calls = countCalls(page, '/api/jobs/referral-check', 'POST');
  for (const wrong of ['0', '3651', '1.5']) {
    await period.fill(wrong);
    await press(page, 'Run Check');
    await expect(page.getByText('Enter a whole number of days from 1 to 3650.')).toBeVisible();
  }
  await period.fill('');
  await press(page, 'Run Check');
  await expect(page.getByText('Enter a number of days.', { exact: true })).toBeVisible();
  expect(calls()).toBe(0);
  await period.fill('7');
  await press(page, 'Run Check');
  await expect(alert(page).filter({ hasText: needsApproval })).toContainText('The check was not planned.');
  await expect(alert(page).filter({ hasText: 'A change requested by ines.moreau' })).toContainText(
    'Period in days: 30 → 7.',
  );
  const colleague = await visit({ as: 'kenji.sato' });
  await colleague.goto('/dashboard/approvals');
  await approveNewest(colleague, 'settings');
  await page.reload();
  await expect(period).toHaveValue('7');
  await expect(page.getByText(/saved by ines\.moreau and approved by kenji\.sato just now/)).toBeVisible();
  await press(page, 'Run Check');
  await expect(alert(page)).toHaveText(
    `Version ${before + 1}: referrals of the last 7 days. The check is planned; nothing was paid. Review and run it under Next run.`,
  );
  expect(calls()).toBe(1);
});

test('a rank bonus has a rank, Silver by default, and an amount; a change waits for a second approver and pays nothing', async ({
  page,
  environment,
  visit,
}) => {
  // Other tests change these settings, so restore the initial ones.
  const before = await storeJob(environment, 'rank-bonus', await installedJob(environment, 'rank-bonus'));
  await open(page, 'rank-bonus', 'Rank Bonus');
  const rank = page.getByLabel('Rank', { exact: true });
  const amount = page.getByLabel('Bonus amount');
  await expect(rank).toHaveValue('Silver');
  await expect(rank.getByRole('option')).toHaveText(['Silver', 'Gold', 'Platinum']);
  await expect(amount).toHaveValue('10.00');
  const calls = countCalls(page, '/api/jobs/rank-bonus', 'POST');
  for (const wrong of ['0', '-1', '1000000.01', '0.0000001', 'ten']) {
    await amount.fill(wrong);
    await press(page, 'Save Rank Bonus');
    await expect(amount).toHaveAttribute('aria-invalid', 'true');
  }
  expect(calls()).toBe(0);
  await rank.selectOption('Platinum');
  await amount.fill('1250.5');
  await press(page, 'Save Rank Bonus');
  await expect(alert(page).filter({ hasText: needsApproval })).toBeVisible();
  await expect(alert(page).filter({ hasText: 'A change requested by ines.moreau' })).toContainText(
    'Bonus amount: $10.00 → $1,250.50; Rank: Silver → Platinum.',
  );
  await expect(rank).toHaveValue('Silver');
  await expect(amount).toHaveValue('10.00');
  const colleague = await visit({ as: 'kenji.sato' });
  await colleague.goto('/dashboard/approvals');
  await approveNewest(colleague, 'settings');
  await page.reload();
  await expect(rank).toHaveValue('Platinum');
  await expect(amount).toHaveValue('1250.50');
  await press(page, 'Save Rank Bonus');
  await expect(alert(page)).toHaveText(
    `Saved as version ${before + 1}: $1,250.50 for every holder of Platinum. No payments made; preview to run it.`,
  );
});

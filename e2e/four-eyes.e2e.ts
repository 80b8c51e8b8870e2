import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { storeJob } from './owner.ts';
import { approveNewest, countCalls } from './page-helpers.ts';
import { jobPage, press } from './run-page.ts';
import { inGate, onceOnly } from './tags.ts';

const alert = (page: Page) => page.getByRole('alert');
const share = (page: Page, name: 'Base' | 'Loyalty') => page.getByLabel(`${name} reward`);
const payout = { enabled: false, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };
const needsApproval = 'Change requested. It takes effect when a second approver approves it.';

test(
  'changed shares wait for a second approver and take effect when approved',
  inGate,
  async ({ page, environment, visit }) => {
    const before = await storeJob(environment, 'stake-payout', payout);
    await page.goto(jobPage('stake-payout'));
    await share(page, 'Base').fill('33.33');
    await share(page, 'Loyalty').fill('40');
    await expect(page.getByText('93.33% of 100%')).toBeVisible();
    await expect(page.getByText('6.67% of the day’s reward stays in the treasury.')).toBeVisible();
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await press(page, 'Save Settings');
    const settings = { ...payout, baseReward: 33.33, loyaltyReward: 40 };
    expect((await sent).postDataJSON()).toEqual({ settings, version: before });
    await expect(alert(page).filter({ hasText: needsApproval })).toBeVisible();
    await expect(share(page, 'Base')).toHaveValue('50');
    const waiting = alert(page).filter({ hasText: 'A change requested by ines.moreau' });
    await expect(waiting).toContainText('Base reward: 50% → 33.33%; Loyalty reward: 30% → 40%.');

    await waiting.getByRole('link', { name: 'View request' }).click();
    const request = page.getByRole('dialog', { name: 'Request' });
    await expect(request.getByText('50% → 33.33%')).toBeVisible();
    await expect(request.getByRole('button', { name: 'Approve' })).toHaveAccessibleDescription(
      'You requested this, so someone else must decide.',
    );
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    await colleague.goto(new URL(page.url()).pathname + new URL(page.url()).search);
    await colleague.getByRole('button', { name: 'Approve' }).click();
    await expect(request.getByText('Approved')).toBeVisible();
    await request.getByRole('link', { name: 'View settings' }).click();
    await expect(share(page, 'Base')).toHaveValue('33.33');
    await expect(share(page, 'Loyalty')).toHaveValue('40');
    await expect(
      page.getByText(`Version ${before + 1}, saved by ines.moreau and approved by kenji.sato just now`),
    ).toBeVisible();
    await expect(alert(page)).toHaveCount(0);
  },
);

test(
  'a changed referral reward waits for a second approver, and nothing is planned with the old one',
  onceOnly,
  async ({ page, environment, visit }) => {
    await storeJob(environment, 'referral-check', { period: 30, reward: 5 });
    await page.goto(jobPage('referral-check'));
    await page.getByLabel('Reward').fill('7.5');
    const planned = countCalls(page, '/api/runs', 'POST');
    await press(page, 'Run Check');
    await expect(
      alert(page).filter({
        hasText: `${needsApproval} The check was not planned. Press Run Check again after the approval.`,
      }),
    ).toBeVisible();
    expect(planned()).toBe(0);
    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto('/dashboard/approvals');
    await approveNewest(colleague, 'settings');
    await expect(page.getByLabel('Reward')).toHaveValue('7.5');
  },
);

import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import type { Environment } from './environment.ts';
import { storeJob } from './owner.ts';
import { approveNewest, callApi, countCalls, heading, toast } from './page-helpers.ts';
import { dialog, press, rows } from './run-page.ts';
import { inGate, onceOnly } from './tags.ts';

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const selectRow = (page: Page, index: number) => rows(page).nth(index).getByRole('checkbox').check();
const confirmation = (page: Page) => dialog(page, 'Promote by Thresholds');
const changes = (page: Page) => page.locator('.jobs-change');

const rank = (referrals: number, volume: string) => ({ referrals, volume });

/** With these, most demo users with a referral reach Silver. */
const easy = { Silver: rank(1, '0.00'), Gold: rank(60, '0.00'), Platinum: rank(60, '0.00') };
const unreachable = { Silver: rank(9_000, '0.00'), Gold: rank(9_000, '0.00'), Platinum: rank(9_000, '0.00') };

const storeThresholds = (environment: Environment, settings: object) =>
  storeJob(environment, 'rank-promotion', settings);

async function openMoves(page: Page, environment: Environment, thresholds: object) {
  await storeThresholds(environment, thresholds);
  await page.goto('/dashboard/settings/cronjobs/rank-promo');
  await expect(heading(page, 'Rank Promotion')).toBeVisible();
}

type Move = { id: string; username: string; to: string };

async function shownMoves(page: Page) {
  return (await callApi(page, 'GET', { path: '/api/users/rank-moves' })).json as { version: number; moves: Move[] };
}

test('thresholds, each rank at least as demanding as the one below, become a new version when approved', async ({
  page,
  environment,
  visit,
}) => {
  await openMoves(page, environment, unreachable);
  await expect(page.getByText('No promotions due.')).toBeVisible();
  const calls = countCalls(page, '/api/jobs/rank-promotion', 'POST');
  await field(page, 'Gold: direct referrals').fill('8999');
  await press(page, 'Save Thresholds');
  await expect(page.getByText('Gold must require at least as much as Silver.')).toBeVisible();
  await expect(field(page, 'Gold: direct referrals')).toBeFocused();
  await field(page, 'Silver: direct referrals').fill('0');
  await expect(page.getByText('Enter a whole number from 1 to 1,000,000.')).toBeVisible();
  await field(page, 'Silver: team volume').fill('much');
  await expect(page.getByText('Enter an amount from 0 to 1,000,000,000, with at most 6 decimals.')).toBeVisible();
  expect(calls()).toBe(0);

  await field(page, 'Silver: direct referrals').fill('1');
  await field(page, 'Silver: team volume').fill('0');
  await press(page, 'Save Thresholds');
  const notice = (text: string) => page.getByRole('alert').filter({ hasText: text });
  await expect(notice('Change requested. It takes effect when a second approver approves it.')).toBeVisible();
  await expect(notice('A change requested by ines.moreau')).toContainText(
    'Gold: direct referrals: 9000 → 8999; Silver: direct referrals: 9000 → 1.',
  );
  await expect(page.getByText('No promotions due.')).toBeVisible();
  const colleague = await visit({ as: 'kenji.sato' });
  await colleague.goto('/dashboard/approvals');
  await approveNewest(colleague, 'settings');
  await expect(rows(page).first()).toBeVisible();
  await page.reload();
  await expect(field(page, 'Gold: direct referrals')).toHaveValue('8999');
  await expect(
    page.getByText(/Version \d+, saved by ines\.moreau and approved by kenji\.sato just now\./),
  ).toBeVisible();
  await press(page, 'Save Thresholds');
  await expect(page.getByRole('alert')).toHaveText(
    /^Thresholds saved as version \d+\. No one was promoted\. See below who would be\.$/,
  );
});

test(
  'two eligible users are promoted after a second approval and appear in the history and in their profiles',
  inGate,
  async ({ page, environment, visit }) => {
    await openMoves(page, environment, easy);
    const { version, moves } = await shownMoves(page);
    const [first, second] = moves;
    if (!first || !second) throw new Error('No promotions due.');
    const summary = page.getByText(
      new RegExp(`^By version ${version} of the thresholds, \\d+ users would be promoted`),
    );
    await expect(summary).toBeVisible();
    await expect(rows(page).first()).toContainText(first.username);

    const button = page.getByRole('button', { name: 'Promote', exact: true });
    await expect(button).toHaveAccessibleDescription('Select users first.');
    await selectRow(page, 0);
    await selectRow(page, 1);
    await press(page, 'Promote these 2');
    await expect(confirmation(page)).toContainText('Request the promotion of 2 users?');
    await expect(confirmation(page)).toContainText('none → Silver2');
    await expect(confirmation(page)).toContainText('Rank bonus, a week$20.00');
    await confirmation(page).getByRole('button', { name: 'Request approval' }).click();
    await expect(confirmation(page)).toContainText('The promotion of 2 users was sent to a second approver.');
    await expect(confirmation(page).getByRole('button', { name: 'Close', exact: true }).last()).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(confirmation(page)).toBeHidden();
    await expect(rows(page).filter({ hasText: first.username })).toHaveCount(1);
    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto('/dashboard/approvals');
    await approveNewest(colleague, 'promotion');

    for (const { username } of [first, second]) {
      await expect(rows(page).filter({ hasText: username })).toHaveCount(0);
      const change = changes(page).filter({ hasText: username }).first();
      await expect(change).toContainText(/Reached Silver: [\d,]+ direct referrals?, [\d,.]+ USD team volume/);
      await expect(change).toContainText(`(thresholds version ${version})`);
    }
    await changes(page).filter({ hasText: first.username }).first().getByRole('link').click();
    await page.getByRole('link', { name: 'Rank history' }).click();
    await expect(page.getByRole('table', { name: 'Rank history of this user' })).toContainText('none → Silver');
  },
);

test(
  'the second page of eligible users has its own URL, and leads to a profile and back',
  onceOnly,
  async ({ page, environment }) => {
    await openMoves(page, environment, easy);
    const before = await rows(page).first().getByRole('link').textContent();
    await page.getByRole('button', { name: 'Next' }).click();
    await expect(page).toHaveURL(/cursor=/);
    // The previous page stays visible until the next one has loaded.
    await expect(rows(page).first()).not.toContainText(before ?? '');
    const name = await rows(page).first().getByRole('link').textContent();
    await page.reload();
    await expect(rows(page).first()).toContainText(name ?? '');
    await rows(page).first().getByRole('link').click();
    await expect(page.getByRole('button', { name: 'Edit Profile' })).toBeVisible();
    await page.goBack();
    await expect(rows(page).first()).toContainText(name ?? '');
  },
);

test(
  'a user who is blacklisted during the confirmation is not promoted, and is named with the reason',
  onceOnly,
  async ({ page, environment }) => {
    await openMoves(page, environment, easy);
    const [first] = (await shownMoves(page)).moves;
    await selectRow(page, 0);
    await selectRow(page, 1);
    await press(page, 'Promote these 2');
    await expect(confirmation(page)).toContainText('Request the promotion of 2 users?');
    const path = `/api/users/${first?.id}/blacklist`;
    const body = { blacklisted: true, reason: 'A test starts.' };
    expect((await callApi(page, 'POST', { path, body })).status).toBe(200);
    await confirmation(page).getByRole('button', { name: 'Request approval' }).click();
    await expect(confirmation(page)).toContainText('The promotion of 1 user was sent to a second approver.');
    await expect(confirmation(page)).toContainText(`${first?.username} This user is blacklisted.`);
  },
);

test(
  'no promotion is requested if the thresholds have changed in the meantime',
  onceOnly,
  async ({ page, watch, environment }) => {
    watch.expectFailureOf('/api/users/rank-moves');
    await openMoves(page, environment, easy);
    const { moves } = await shownMoves(page);
    await selectRow(page, 0);
    await press(page, 'Promote this one');
    await expect(confirmation(page)).toContainText('Request the promotion of 1 user?');
    await storeThresholds(environment, { ...easy, Gold: rank(59, '0.00') });
    await confirmation(page).getByRole('button', { name: 'Request approval' }).click();
    await expect(toast(page, 'The promotion was not requested')).toContainText(
      'Someone else has just saved other thresholds.',
    );
    expect((await shownMoves(page)).moves[0]?.id).toBe(moves[0]?.id);
  },
);

test(
  'an administrator without the permission sees eligible users but cannot promote them',
  onceOnly,
  async ({ page, visit, environment }) => {
    await openMoves(page, environment, easy);
    const reader = await visit({ as: 'amara.osei' });
    await reader.goto('/dashboard/settings/cronjobs/rank-promo');
    await selectRow(reader, 0);
    const denied = 'Your role does not allow this.';
    await expect(reader.getByRole('button', { name: 'Promote this one' })).toHaveAccessibleDescription(denied);
    await expect(reader.getByRole('button', { name: 'Save Thresholds' })).toHaveAccessibleDescription(denied);
    await expect(field(reader, 'Silver: team volume')).toBeDisabled();
  },
);

test('the list of eligible users is accessible: filled, during confirmation, after it, and empty', async ({
  page,
  environment,
}) => {
  await openMoves(page, environment, easy);
  await selectRow(page, 0);
  await expectAccessible(page);
  await press(page, 'Promote this one');
  await expect(confirmation(page)).toContainText('Request the promotion of 1 user?');
  await expectAccessible(page);
  await confirmation(page).getByRole('button', { name: 'Request approval' }).click();
  await expect(confirmation(page)).toContainText('The promotion of 1 user was sent to a second approver.');
  await expectAccessible(page);
  await openMoves(page, environment, unreachable);
  await expect(page.getByText('No promotions due.')).toBeVisible();
  await expectAccessible(page);
});

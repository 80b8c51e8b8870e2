import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { callApi, countCalls, heading, toast } from './page-helpers.ts';
import { dialog, press, rows } from './run-page.ts';
import { inGate, onceOnly } from './tags.ts';

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const selectRow = (page: Page, index: number) => rows(page).nth(index).getByRole('checkbox').check();
const asked = (page: Page) => dialog(page, 'Promote by Thresholds');
const changes = (page: Page) => page.locator('.jobs-change');

const rank = (referrals: number, volume: string) => ({ referrals, volume });

/** Most of the demo's users who brought somebody reach Silver by these. */
const easy = { Silver: rank(1, '0.00'), Gold: rank(60, '0.00'), Platinum: rank(60, '0.00') };
const unreachable = { Silver: rank(9_000, '0.00'), Gold: rank(9_000, '0.00'), Platinum: rank(9_000, '0.00') };

/** Nobody else is needed: a promotion pays nobody. */
async function storeThresholds(page: Page, settings: object) {
  const path = '/api/jobs/rank-promotion';
  const { version } = (await callApi(page, 'GET', { path })).json as { version: number };
  expect((await callApi(page, 'POST', { path, body: { settings, version } })).status).toBe(200);
}

async function openMoves(page: Page, thresholds: object) {
  if (page.url() === 'about:blank') await page.goto('/dashboard/maintenance');
  await storeThresholds(page, thresholds);
  await page.goto('/dashboard/settings/cronjobs/rank-promo');
  await expect(heading(page, 'Rank Promotion')).toBeVisible();
}

type Move = { id: string; username: string; to: string };

async function shownMoves(page: Page) {
  return (await callApi(page, 'GET', { path: '/api/users/rank-moves' })).json as { version: number; moves: Move[] };
}

test(
  'thresholds are saved as a new version, each rank at least as demanding as the one below',
  inGate,
  async ({ page }) => {
    await openMoves(page, unreachable);
    await expect(page.getByText('Nobody would move.')).toBeVisible();
    const calls = countCalls(page, '/api/jobs/rank-promotion', 'POST');
    await field(page, 'Gold: direct referrals').fill('8999');
    await press(page, 'Save Thresholds');
    await expect(page.getByText('Gold asks for at least what Silver does.')).toBeVisible();
    await expect(field(page, 'Gold: direct referrals')).toBeFocused();
    await field(page, 'Silver: direct referrals').fill('0');
    await expect(page.getByText('Enter a whole number from 1 to 1,000,000.')).toBeVisible();
    await field(page, 'Silver: team volume').fill('much');
    await expect(page.getByText('Enter an amount from 0 to 1,000,000,000, with at most 6 decimals.')).toBeVisible();
    expect(calls()).toBe(0);

    await field(page, 'Silver: direct referrals').fill('1');
    await field(page, 'Silver: team volume').fill('0');
    await press(page, 'Save Thresholds');
    await expect(page.getByRole('alert')).toHaveText(
      /^Thresholds saved as version \d+\. Nobody was promoted: look below at who would move\.$/,
    );
    await expect(rows(page).first()).toBeVisible();
    await page.reload();
    await expect(field(page, 'Gold: direct referrals')).toHaveValue('8999');
    await expect(page.getByText(/Version \d+, saved by ines\.moreau just now\./)).toBeVisible();
  },
);

test('two who would move are promoted, and stand in the history and in their profiles', inGate, async ({ page }) => {
  await openMoves(page, easy);
  const { version, moves } = await shownMoves(page);
  const [first, second] = moves;
  if (!first || !second) throw new Error('Nobody would move.');
  const said = page.getByText(new RegExp(`^By version ${version} of the thresholds, \\d+ users would move up`));
  await expect(said).toBeVisible();
  await expect(rows(page).first()).toContainText(first.username);

  const button = page.getByRole('button', { name: 'Promote', exact: true });
  await expect(button).toHaveAccessibleDescription('Select users first.');
  await selectRow(page, 0);
  await selectRow(page, 1);
  await press(page, 'Promote these 2');
  await expect(asked(page)).toContainText('Promote 2 users?');
  await expect(asked(page)).toContainText('none → Silver2');
  await expect(asked(page)).toContainText('Rank bonus, a week$20.00');
  await asked(page).getByRole('button', { name: 'Promote', exact: true }).click();
  await expect(asked(page)).toContainText('2 users promoted.');
  await expect(asked(page).getByRole('button', { name: 'Close', exact: true }).last()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(asked(page)).toBeHidden();

  for (const { username } of [first, second]) {
    await expect(rows(page).filter({ hasText: username })).toHaveCount(0);
    const change = changes(page).filter({ hasText: username }).first();
    await expect(change).toContainText(/Reached Silver: [\d,]+ direct referrals?, [\d,.]+ USD team volume/);
    await expect(change).toContainText(`(thresholds version ${version})`);
  }
  await changes(page).filter({ hasText: first.username }).first().getByRole('link').click();
  await page.getByRole('link', { name: 'Rank history' }).click();
  await expect(page.getByRole('table', { name: 'Rank history of this user' })).toContainText('none → Silver');
});

test('the second page of who would move is a link, and leads to a profile and back', onceOnly, async ({ page }) => {
  await openMoves(page, easy);
  const before = await rows(page).first().getByRole('link').textContent();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page).toHaveURL(/cursor=/);
  // The page before stays until the next has come.
  await expect(rows(page).first()).not.toContainText(before ?? '');
  const name = await rows(page).first().getByRole('link').textContent();
  await page.reload();
  await expect(rows(page).first()).toContainText(name ?? '');
  await rows(page).first().getByRole('link').click();
  await expect(page.getByRole('button', { name: 'Edit Profile' })).toBeVisible();
  await page.goBack();
  await expect(rows(page).first()).toContainText(name ?? '');
});

test('who was blacklisted while it was asked stays, and is named with the reason', onceOnly, async ({ page }) => {
  await openMoves(page, easy);
  const [first] = (await shownMoves(page)).moves;
  await selectRow(page, 0);
  await selectRow(page, 1);
  await press(page, 'Promote these 2');
  await expect(asked(page)).toContainText('Promote 2 users?');
  const path = `/api/users/${first?.id}/blacklist`;
  const body = { blacklisted: true, reason: 'A test starts.' };
  expect((await callApi(page, 'POST', { path, body })).status).toBe(200);
  await asked(page).getByRole('button', { name: 'Promote', exact: true }).click();
  await expect(asked(page)).toContainText('1 user promoted.');
  await expect(asked(page)).toContainText(`${first?.username} This user is blacklisted.`);
});

test('by thresholds that were changed meanwhile nobody is promoted', onceOnly, async ({ page, watch }) => {
  watch.expectFailureOf('/api/users/rank-moves');
  await openMoves(page, easy);
  const { moves } = await shownMoves(page);
  await selectRow(page, 0);
  await press(page, 'Promote this one');
  await expect(asked(page)).toContainText('Promote 1 user?');
  await storeThresholds(page, { ...easy, Gold: rank(59, '0.00') });
  await asked(page).getByRole('button', { name: 'Promote', exact: true }).click();
  await expect(toast(page, 'Nobody was promoted')).toContainText('Someone else saved other thresholds just now.');
  expect((await shownMoves(page)).moves[0]?.id).toBe(moves[0]?.id);
});

test('whose role does not allow it sees who would move and promotes nobody', onceOnly, async ({ page, visit }) => {
  await openMoves(page, easy);
  const reader = await visit({ as: 'amara.osei' });
  await reader.goto('/dashboard/settings/cronjobs/rank-promo');
  await selectRow(reader, 0);
  const denied = 'Your role does not allow this.';
  await expect(reader.getByRole('button', { name: 'Promote this one' })).toHaveAccessibleDescription(denied);
  await expect(reader.getByRole('button', { name: 'Save Thresholds' })).toHaveAccessibleDescription(denied);
  await expect(field(reader, 'Silver: team volume')).toBeDisabled();
});

test('who would move is accessible: listed, asked, done and nobody', async ({ page }) => {
  await openMoves(page, easy);
  await selectRow(page, 0);
  await expectAccessible(page);
  await press(page, 'Promote this one');
  await expect(asked(page)).toContainText('Promote 1 user?');
  await expectAccessible(page);
  await asked(page).getByRole('button', { name: 'Promote', exact: true }).click();
  await expect(asked(page)).toContainText('1 user promoted.');
  await expectAccessible(page);
  await openMoves(page, unreachable);
  await expect(page.getByText('Nobody would move.')).toBeVisible();
  await expectAccessible(page);
});

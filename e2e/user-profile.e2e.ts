import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { fact, demoUser, readUser } from './demo-users.ts';
import { callApi, heading, toast } from './page-helpers.ts';
import { inGate, onceOnly } from './tags.ts';

const formOf = (page: Page) => ({
  edit: page.getByRole('button', { name: 'Edit Profile' }),
  save: page.getByRole('button', { name: 'Save Changes' }),
  cancel: page.getByRole('button', { name: 'Cancel' }),
  role: page.getByLabel('Role', { exact: true }),
  wallet: page.getByLabel('Wallet', { exact: true }),
  referralCode: page.getByLabel('Referral code', { exact: true }),
});

async function openProfile(page: Page, place: number) {
  const found = await demoUser(page, place);
  await page.goto(found.address);
  await expect(formOf(page).edit).toBeVisible();
  return found;
}

const otherWallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const codeOf = () => `T${Date.now().toString(36).toUpperCase().slice(-8)}`;

test('View Profile opens the user of its row, and so does the URL alone', async ({ page }) => {
  const { address, username, userId } = await demoUser(page, 20);
  await page.goto(`/dashboard/users?search=${userId}`);
  await page.getByRole('link', { name: 'View Profile' }).click();
  await expect(page).toHaveURL(address);
  await expect(heading(page, 'User Profile')).toBeVisible();
  await expect(fact(page, 'Username')).toHaveText(username);
  await page.reload();
  await expect(fact(page, 'Username')).toHaveText(username);
  await expect(fact(page, 'User ID').getByRole('button')).toHaveAttribute('title', userId);
});

/** Each amount of the specification with its label on the screen. */
const money = [
  ['referralBonus', 'Referral bonus'],
  ['weeklyRankBonusEarnings', 'Weekly rank bonus earnings'],
  ['totalStakedEarned', 'Total staked earned'],
  ['totalEarnings', 'Total earnings'],
  ['totalStaked', 'Total staked'],
  ['totalDeposit', 'Total deposit'],
  ['totalTeamVolumeUSD', 'Total team volume USD'],
  ['totalWithdrawals', 'Total withdrawals'],
  ['withdrawal', 'Withdrawal'],
] as const;
const plain = [
  ['username', 'Username'],
  ['role', 'Role'],
  ['rank', 'Rank'],
  ['referralCode', 'Referral code'],
  ['referralCount', 'Referral count'],
  ['totalNetwork', 'Total network'],
] as const;
const copied = [
  ['id', 'ID'],
  ['userId', 'User ID'],
  ['wallet', 'Wallet'],
  ['solWalletAddress', 'SOL wallet address'],
] as const;

test('every field of the specification is in the profile with its value', inGate, async ({ page }) => {
  const { id } = await openProfile(page, 0);
  const user = await readUser(page, id);
  const grouped = (figure: unknown) => String(figure).replaceAll(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
  for (const [field, label] of money) await expect(fact(page, label)).toHaveText(`$${grouped(user[field])}`);
  for (const [field, label] of plain) await expect(fact(page, label)).toHaveText(grouped(user[field]));
  for (const [field, label] of copied) {
    await expect(fact(page, label).getByRole('button')).toHaveAttribute('title', String(user[field]));
  }
  await expect(fact(page, 'GMP earnings')).toHaveText(`${grouped(user['gmpEarnings'])}GMP`);
  await expect(fact(page, 'Total team volume SOL')).toHaveText(`${grouped(user['totalTeamVolumeSOL'])}SOL`);
  await expect(fact(page, 'GMP shares')).toHaveText(grouped(user['gmpShares']));
  await expect(fact(page, 'SLX')).toHaveText(grouped(user['SLX']));
  await expect(fact(page, 'Is blacklisted')).toHaveText('no');
  await expect(fact(page, 'Referred by')).toHaveText('No one');
  await expect(fact(page, 'SOL private key')).toHaveText('•••••••• StoredReveal');
  await expect(fact(page, 'Password')).toHaveText('StoredReset');
  await expect(fact(page, 'Token')).toHaveText(user['token'] === 'present' ? 'Active' : 'none');
  for (const [field, label] of [
    ['createdAt', 'Created at'],
    ['updatedAt', 'Updated at'],
  ] as const) {
    await expect(fact(page, label).locator('time')).toHaveAttribute('datetime', String(user[field]));
  }
});

test('the sponsor of the user is a link to their profile', async ({ page }) => {
  const { id } = await openProfile(page, 14);
  const { referredBy } = (await readUser(page, id)) as { referredBy: { id: string; username: string } };
  await fact(page, 'Referred by').getByRole('link', { name: referredBy.username }).click();
  await expect(page).toHaveURL(`/dashboard/user-profile/${referredBy.id}`);
  await expect(fact(page, 'Username')).toHaveText(referredBy.username);
});

test('Edit Profile, then Save Changes stores role, wallet and referral code', inGate, async ({ page }) => {
  const { id } = await openProfile(page, 21);
  const { version } = await readUser(page, id);
  const { edit, save, role, wallet, referralCode } = formOf(page);
  await expect(save).toHaveCount(0);
  await edit.click();
  await expect(role).toBeFocused();
  await expect(save).toHaveAttribute('aria-disabled', 'true');
  await expect(role.locator('option')).toHaveText(['User', 'Admin']);
  await expect(page.getByRole('button', { name: 'Blacklist' })).toHaveAttribute('aria-disabled', 'true');
  const code = codeOf();
  await role.selectOption('Admin');
  await wallet.fill(otherWallet);
  await referralCode.fill(code.toLowerCase());
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await save.click();
  expect((await sent).postDataJSON()).toEqual({ version, role: 'Admin', wallet: otherWallet, referralCode: code });
  await expect(toast(page, 'Profile saved')).toBeVisible();
  await expect(edit).toBeFocused();
  await page.reload();
  await expect(fact(page, 'Role')).toHaveText('Admin');
  await expect(fact(page, 'Wallet').getByRole('button')).toHaveAttribute('title', otherWallet);
  await expect(fact(page, 'Referral code')).toHaveText(code);
  expect(await readUser(page, id)).toMatchObject({ role: 'Admin', wallet: otherWallet, referralCode: code });
});

test('nothing else can be edited: not user ID, username, wallet address or private key, and no money', async ({
  page,
}) => {
  await openProfile(page, 22);
  await formOf(page).edit.click();
  const fields = page.locator('.user-form').locator('input, select, textarea');
  await expect(fields).toHaveCount(3);
  for (const name of ['User ID', 'Username', 'SOL wallet address', 'SOL private key', 'Total earnings', 'Available']) {
    await expect(fact(page, name).locator('input, select, textarea')).toHaveCount(0);
  }
  await expect(page.getByText('From the ledger. Read-only.').first()).toBeVisible();
});

test('Back returns to the list as it was, also after opening tabs', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/users?sort=userId&density=compact');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('cursor')).toBeTruthy();
  await expect(page.locator('table')).toHaveAttribute('aria-busy', 'false');
  const left = page.url();
  const last = page.locator('tbody tr[data-row]').last();
  await last.scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate(() => window.scrollY);
  expect(scrolled).toBeGreaterThan(0);
  await last.getByRole('link', { name: 'View Profile' }).click();
  await expect(formOf(page).edit).toBeVisible();
  await page.getByRole('link', { name: 'Tickets' }).last().click();
  await expect(page).toHaveURL(/tab=tickets/);
  await page.getByRole('link', { name: 'Back', exact: true }).click();
  await expect(page).toHaveURL(left);
  await expect(page.locator('tbody tr[data-row]')).toHaveCount(25);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeCloseTo(scrolled, -2);
});

test(
  'a user who is deleted while their profile is open is no longer found',
  onceOnly,
  async ({ page, visit, watch }) => {
    const { id } = await openProfile(page, 44);
    const colleague = await visit({ as: 'tomasz.lind', server: 'second' });
    await colleague.goto('/dashboard');
    watch.expectFailureOf(`/api/users/${id}`);
    expect((await callApi(colleague, 'POST', { path: `/api/users/${id}/delete` })).status).toBe(200);
    await expect(page.getByText('User not found.', { exact: true })).toBeVisible();
  },
);

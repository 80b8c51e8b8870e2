import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { demoUser, readUser } from './demo-users.ts';
import { heading, toast } from './page-helpers.ts';
import { desktopOnly, inGate, inGateDesktop, onceOnly } from './tags.ts';

const rows = (page: Page) => page.locator('tbody tr[data-row]');
const row = (page: Page, id: string) => page.locator(`tr[data-row="${id}"]`);
const idsOf = (page: Page) => rows(page).evaluateAll((all) => all.map((one) => one.getAttribute('data-row')));
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const arrived = (page: Page) => expect(page.locator('table')).toHaveAttribute('aria-busy', 'false');
const total = (page: Page) => page.locator('.figure', { hasText: 'Total users' }).locator('.figure-value');

async function openList(page: Page, search = '') {
  await page.goto(`/dashboard/users${search}`);
  await expect(rows(page).first()).toBeVisible();
  await arrived(page);
}

test('User Management has a total-users card and a table of users', inGate, async ({ page }) => {
  await openList(page);
  await expect(heading(page, 'User Management')).toBeVisible();
  const all = Number(await total(page).textContent());
  expect(all).toBeGreaterThan(200);
  await expect(page.getByText(`${all} users`, { exact: true })).toBeVisible();
  await expect(rows(page)).toHaveCount(25);
  await expect(rows(page).getByRole('link', { name: 'View Profile' })).toHaveCount(25);
  await expect(rows(page).getByRole('button', { name: 'Delete' })).toHaveCount(25);
});

test('the columns are number, user ID, username, role, created at and actions', inGateDesktop, async ({ page }) => {
  await openList(page);
  const columns = ['#', 'User ID', 'Username', 'Role', 'Created At', 'Actions'];
  await expect(page.getByRole('columnheader')).toHaveText(columns);
  const { id, userId, username } = await demoUser(page, 50);
  const { role } = await readUser(page, id);
  await openList(page, `?search=${userId}`);
  await expect(row(page, id).getByRole('cell').nth(1)).toHaveText(userId);
  await expect(row(page, id).getByRole('cell').nth(2)).toHaveText(username);
  await expect(row(page, id).getByRole('cell').nth(3)).toHaveText(String(role));
});

test('the rows are numbered across the pages of the list, forward and back', desktopOnly, async ({ page }) => {
  await openList(page, '?sort=userId');
  const numbers = () => rows(page).locator('td:first-child').allTextContents();
  const from = (first: number) => Array.from({ length: 25 }, (_, place) => String(first + place));
  expect(await numbers()).toEqual(from(1));
  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(numbers).toEqual(from(26));
  await page.reload();
  await arrived(page);
  expect(await numbers()).toEqual(from(26));
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect.poll(numbers).toEqual(from(1));
});

test('a search matches part of a name, or a whole pasted id or wallet address', onceOnly, async ({ page }) => {
  const { id, username, userId } = await demoUser(page, 30);
  const { wallet, solWalletAddress, referralCode } = await readUser(page, id);
  await openList(page);
  const box = page.getByRole('searchbox', { name: 'Search name, ID, wallet or code' });
  const terms = [username.slice(0, -1).toUpperCase(), userId, String(wallet).slice(4, 20), referralCode, id];
  for (const word of [...terms, solWalletAddress]) {
    await box.fill(String(word));
    await expect.poll(() => searchOf(page)['search']).toBe(String(word));
    await arrived(page);
    await expect(row(page, id)).toBeVisible();
    await expect(rows(page)).toHaveCount(1);
  }
});

test('a search without a match says No users found. and offers to clear it', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/users?search=nobody+is+called+this');
  await expect(page.getByText('No users found.', { exact: true })).toBeVisible();
  await expect(total(page)).not.toHaveText('0');
  await page.getByRole('button', { name: 'Clear search and filter' }).click();
  await expect(rows(page)).toHaveCount(25);
  expect(searchOf(page)).toEqual({});
});

test('the filter shows blacklisted users, each with a mark next to the username', async ({ page }) => {
  await openList(page);
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('menuitemradio', { name: 'Only blacklisted' }).click();
  await expect.poll(() => searchOf(page)).toEqual({ blacklisted: 'yes' });
  await arrived(page);
  await expect(rows(page).filter({ has: page.locator('.user-mark', { hasText: 'Blacklisted' }) })).not.toHaveCount(0);
  await expect(rows(page).filter({ hasNot: page.locator('.user-mark') })).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove filter Blacklisted: Only blacklisted' }).click();
  await expect(rows(page)).toHaveCount(25);
});

for (const [header, sort] of [
  ['User ID', 'userId'],
  ['Username', 'username'],
  ['Role', 'role'],
  ['Created At', 'createdAt'],
] as const) {
  test(`the header ${header} sorts on the server in both directions`, desktopOnly, async ({ page }) => {
    // Start from another order, so that every header changes it.
    await openList(page, sort === 'userId' ? '' : '?sort=userId');
    const head = page.getByRole('columnheader', { name: header });
    const seen: unknown[] = [];
    for (const way of sort === 'createdAt' ? ['descending', 'ascending'] : ['ascending', 'descending']) {
      await head.getByRole('button').click();
      await expect(head).toHaveAttribute('aria-sort', way);
      await arrived(page);
      seen.push(await idsOf(page));
    }
    expect(seen[0]).not.toEqual(seen[1]);
    await page.reload();
    await arrived(page);
    expect(await idsOf(page)).toEqual(seen[1]);
  });
}

test(
  'Delete asks for confirmation, then the row is removed immediately and permanently',
  inGate,
  async ({ page, watch }) => {
    const { id, userId, address } = await demoUser(page, 40);
    await openList(page);
    const before = Number(await total(page).textContent());
    await openList(page, `?search=${userId}`);
    const ask = row(page, id).getByRole('button', { name: 'Delete' });
    await ask.click();
    const modal = page.getByRole('dialog');
    await expect(modal.getByText('Are you sure you want to delete this user?', { exact: true })).toBeVisible();
    await expect(modal.getByText('Balances and history are kept.')).toBeVisible();
    await modal.getByRole('button', { name: 'Cancel' }).click();
    await expect(modal).toHaveCount(0);
    await expect(row(page, id)).toBeVisible();

    await ask.click();
    await modal.getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, id)).toHaveCount(0);
    await expect(page.getByText('No users found.', { exact: true })).toBeVisible();
    await expect(toast(page, 'User deleted')).toBeVisible();
    await page.reload();
    await expect(page.getByText('No users found.', { exact: true })).toBeVisible();
    await expect(total(page)).toHaveText(String(before - 1));
    watch.expectFailureOf(`/api/users/${id}`);
    await page.goto(address);
    await expect(page.getByText('User not found.', { exact: true })).toBeVisible();
  },
);

test('a row opens its profile with a click and with the keyboard', async ({ page }) => {
  await openList(page);
  const [, second = '', third = ''] = (await idsOf(page)).map(String);
  const backFrom = async (id: string) => {
    await expect(page).toHaveURL(`/dashboard/user-profile/${id}`);
    await expect(heading(page, 'User Profile')).toBeVisible();
    await expect(page.getByRole('main')).toBeFocused();
    await page.goBack();
    await arrived(page);
  };
  await row(page, second).locator('.user-name').click();
  await backFrom(second);
  // The focus returns to the row, and the keys continue from there.
  await expect(row(page, second)).toBeFocused();
  await page.keyboard.press('j');
  await expect(row(page, third)).toBeFocused();
  await page.keyboard.press('Enter');
  await backFrom(third);
  await expect(row(page, third)).toBeFocused();
});

test(
  'another administrator’s deletion or blacklisting of a user appears without a reload',
  onceOnly,
  async ({ page, visit }) => {
    const leaving = await demoUser(page, 42);
    const marked = await demoUser(page, 43);
    const colleague = await visit({ as: 'tomasz.lind', server: 'second' });
    const stream = colleague.waitForResponse('**/api/events');
    await openList(colleague, '?sort=userId&columns=username,actions');
    await colleague.getByRole('button', { name: 'Next' }).click();
    await expect(row(colleague, leaving.id)).toBeVisible();
    expect((await stream).status()).toBe(200);
    await page.goto(`${marked.address}`);
    await page.getByRole('button', { name: 'Blacklist', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Seen by both');
    await page.getByRole('dialog').getByRole('button', { name: 'Blacklist' }).click();
    await expect(row(colleague, marked.id).locator('.user-mark')).toBeVisible({ timeout: 2_000 });
    await openList(page, `?search=${leaving.userId}`);
    await row(page, leaving.id).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, leaving.id)).toHaveCount(0);
    await expect(row(colleague, leaving.id)).toHaveCount(0, { timeout: 2_000 });
  },
);

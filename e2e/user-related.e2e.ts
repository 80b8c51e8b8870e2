import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { demoUser } from './demo-users.ts';
import { answerFault, approveNewest, callApi, countCalls } from './page-helpers.ts';
import { onceOnly } from './tags.ts';

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Related to this user' }).getByRole('link', { name });
const rows = (page: Page) => page.locator('.user-related tbody tr[data-row]');

async function openProfile(page: Page, place: number, search = '') {
  const found = await demoUser(page, place);
  await page.goto(`${found.address}${search}`);
  await expect(page.getByRole('button', { name: 'Edit Profile' })).toBeVisible();
  return found;
}

const settledTable = (page: Page) => expect(page.locator('.user-related table')).toHaveAttribute('aria-busy', 'false');

/** Returns a demo user for whom this list has rows. */
async function userWith(page: Page, path: string, list: string) {
  for (let place = 0; place < 40; place += 1) {
    const found = await demoUser(page, place);
    const { json } = await callApi(page, 'GET', { path: `${path}?user=${found.id}` });
    const items = (json as Record<string, unknown[]>)[list] ?? [];
    if (items.length > 0) return { ...found, items: items as Record<string, unknown>[] };
  }
  throw new Error(`Nobody has any ${list}.`);
}

test('each tab is loaded only when it is opened, and is in the URL', async ({ page }) => {
  // Find the user first, because the page that this uses also fetches tickets.
  const { address } = await demoUser(page, 2);
  await page.goto('about:blank');
  const calls = {
    withdrawals: countCalls(page, '/api/withdrawals'),
    tasks: countCalls(page, '/api/tasks'),
    tickets: countCalls(page, '/api/tickets/all'),
    ranks: countCalls(page, '/api/users/rank-changes'),
    audit: countCalls(page, '/api/audit'),
  };
  await page.goto(address);
  await expect(tab(page, 'Stakes')).toHaveAttribute('aria-current', 'page');
  await settledTable(page);
  const counted = () => Object.values(calls).map((count) => count());
  expect(counted()).toEqual([0, 0, 0, 0, 0]);
  const opened = ['Withdrawals', 'Tasks', 'Tickets', 'Rank history', 'Audit trail'];
  for (const [index, name] of opened.entries()) {
    await tab(page, name).click();
    await expect(tab(page, name)).toHaveAttribute('aria-current', 'page');
    // The table of the previous tab stays visible until the code of this one has loaded.
    await expect.poll(() => counted().map((count) => count > 0)).toEqual(opened.map((_, place) => place <= index));
    await settledTable(page);
  }
  await expect(page).toHaveURL(/tab=audit/);
  await page.reload();
  await expect(tab(page, 'Audit trail')).toHaveAttribute('aria-current', 'page');
});

test('stakes of the user are shown', async ({ page }) => {
  const { address, items } = await userWith(page, '/api/staking', 'stakes');
  await page.goto(`${address}?tab=stakes`);
  await expect(rows(page)).toHaveCount(items.length);
  await expect(rows(page).first()).toContainText(String(items[0]?.['status']));
  await expect(rows(page).first().getByRole('button')).toHaveAttribute('title', String(items[0]?.['stakeId']));
});

test('withdrawals of the user are shown', async ({ page }) => {
  const { address, items } = await userWith(page, '/api/withdrawals', 'withdrawals');
  await page.goto(`${address}?tab=withdrawals`);
  await expect(rows(page)).toHaveCount(items.length);
  await expect(rows(page).first()).toContainText(String(items[0]?.['status']));
});

test('tasks of the user are shown', async ({ page }) => {
  const { address, items } = await userWith(page, '/api/tasks', 'tasks');
  await page.goto(`${address}?tab=tasks`);
  await expect(rows(page)).toHaveCount(items.length);
  await expect(rows(page).first()).toContainText(String(items[0]?.['title']));
});

test('an empty tab says so', async ({ page }) => {
  await openProfile(page, 70, '?tab=ranks');
  await expect(page.getByText('No rank changes yet.')).toBeVisible();
});

test('tickets of the user are paged and link to the ticket', async ({ page }) => {
  // Two rows per page, so that the demo's few tickets fill several pages.
  await page.route('**/api/tickets/all?*user=*', (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/limit=\d+/, 'limit=2'),
    }),
  );
  await openProfile(page, 0, '?tab=tickets');
  await expect(rows(page)).toHaveCount(2);
  const ids = () => rows(page).evaluateAll((all) => all.map((one) => one.getAttribute('data-row')));
  const first = await ids();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(async () => (await ids()).some((id) => first.includes(id))).toBe(false);
  await expect(page).toHaveURL(/tab=tickets&cursor=/);
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect.poll(ids).toEqual(first);
  await rows(page)
    .first()
    .getByRole('link', { name: /^View ticket/ })
    .click();
  await expect(page).toHaveURL(new RegExp(`/dashboard/tickets\\?ticket=${first[0]}`));
  // Questions about money are answered from the ledger.
  await page.getByRole('dialog').getByRole('link', { name: 'View ledger' }).click();
  await expect(page).toHaveURL(/\/dashboard\/ledger\?user=/);
  await expect(page.locator('tbody tr[data-row]').first()).toBeVisible();
});

test('promotions appear live in the rank history and in the audit trail, and older ones on demand', async ({
  page,
  watch,
  visit,
}) => {
  watch.expectFailureOf('/api/users/rank-changes');
  const colleague = await visit({ as: 'kenji.sato' });
  await colleague.goto('/dashboard/maintenance');
  const { userId } = await openProfile(page, 71, '?tab=ranks');
  await expect(page.getByText('No rank changes yet.')).toBeVisible();
  const promote = async (newRank: string, reason: string) => {
    const body = { userId, newRank, reason };
    expect((await callApi(page, 'POST', { path: '/api/users/promote', body })).status).toBe(200);
    await approveNewest(colleague, 'promotion');
  };
  await promote('Platinum', 'The first of many');
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText('→ Platinum');
  for (let turn = 0; turn < 26; turn += 1) await promote(turn % 2 === 0 ? 'Gold' : 'Silver', `Turn ${turn}`);
  await expect(rows(page).first()).toContainText('Turn 25');
  await expect(rows(page)).toHaveCount(25);
  const older = (url: URL) => url.searchParams.has('before');
  await page.route(older, answerFault);
  await page.getByRole('button', { name: 'Show older' }).click();
  const failure = page.getByRole('main').getByRole('alert');
  await expect(failure).toContainText('The older changes of rank could not be loaded.');
  await expect(rows(page)).toHaveCount(25);
  await page.unroute(older);
  // A late live update may have reloaded the list, and with it the first button.
  await page.getByRole('button', { name: /^(Try again|Show older)$/ }).click();
  await expect(rows(page)).toHaveCount(27);
  await expect(failure).toHaveCount(0);
  await expect(rows(page).last()).toContainText('The first of many');
  await expect(page.getByRole('button', { name: 'Show older' })).toHaveCount(0);

  await tab(page, 'Audit trail').click();
  await expect(rows(page)).toHaveCount(25);
  await expect(rows(page).first()).toContainText('users.promote');
  await expect(rows(page).first()).toContainText('rank: Gold → Silver');
  await expect(rows(page).first()).toContainText('ines.moreau');
  await expect(rows(page).nth(1)).toContainText('users.request-promotion');
  await page.getByRole('button', { name: 'Show older' }).click();
  await expect(rows(page)).toHaveCount(50);
  await page.getByRole('button', { name: 'Show older' }).click();
  await expect(rows(page)).toHaveCount(54);
});

test('the audit trail is shown only to administrators who may read it', onceOnly, async ({ visit }) => {
  const auditor = await visit({ as: 'lucia.brandt' });
  await openProfile(auditor, 3, '?tab=audit');
  await expect(tab(auditor, 'Audit trail')).toHaveAttribute('aria-current', 'page');
  for (const username of ['amara.osei', 'kenji.sato', 'tomasz.lind']) {
    const page = await visit({ as: username });
    const calls = countCalls(page, '/api/audit');
    await openProfile(page, 3, '?tab=audit');
    await expect(tab(page, 'Stakes')).toHaveAttribute('aria-current', 'page');
    await expect(tab(page, 'Audit trail')).toHaveCount(0);
    expect(calls()).toBe(0);
  }
});

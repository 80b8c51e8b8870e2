import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { fact } from './demo-users.ts';
import { answerFault, callApi, heading, holdLiveUpdates } from './page-helpers.ts';
import { inGateDesktop, onceOnly } from './tags.ts';

const address = '/dashboard/ledger';
const rows = (page: Page) => page.locator('tbody tr[data-row]');
const idsOf = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')));
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const table = (page: Page) => page.getByRole('table', { name: 'Transfers' });
const drawer = (page: Page) => page.getByRole('dialog');

async function openList(page: Page, search = '') {
  await page.goto(`${address}${search}`);
  await expect(rows(page).first()).toBeVisible();
  await expect(table(page)).toHaveAttribute('aria-busy', 'false');
}

type Row = { id: string; kind: string; day: string; cause: string; amount: string; user: { id: string } | null };

async function ask(page: Page, query = '') {
  const { json } = await callApi(page, 'GET', { path: `/api/ledger/transfers?limit=100${query}` });
  return (json as { transfers: Row[] }).transfers;
}

test('the ledger shows every account and the transfers, the newest day first', inGateDesktop, async ({ page }) => {
  await openList(page);
  await expect(heading(page, 'Ledger')).toBeVisible();
  await expect(page.getByRole('columnheader')).toHaveText(['Day', 'Kind', 'User', 'Movement', 'Amount', 'Posted']);
  expect(await idsOf(page)).toEqual((await ask(page)).slice(0, 25).map(({ id }) => id));
  const { json } = await callApi(page, 'GET', { path: '/api/ledger/balances' });
  const { balances } = json as { balances: { account: string; asset: string; amount: string }[] };
  const treasury = balances.find(({ account, asset }) => account === 'treasury' && asset === 'USD')?.amount ?? '';
  await expect(fact(page, 'Treasury')).toContainText(`$${treasury.replace(/\B(?=(\d{3})+\.)/g, ',')}`);
  for (const name of ['Available', 'Staked', 'On hold', 'External', 'Loyalty'])
    await expect(fact(page, name)).toBeVisible();
});

test('transfers are filtered by kind and by days, on the server and in the URL', onceOnly, async ({ page }) => {
  await openList(page);
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('menuitemradio', { name: 'Rank bonus' }).click();
  await expect.poll(() => searchOf(page)).toEqual({ kind: 'rank-bonus' });
  const bonuses = await ask(page, '&kind=rank-bonus');
  await expect.poll(() => idsOf(page)).toEqual(bonuses.slice(0, 25).map(({ id }) => id));
  const day = bonuses.at(-1)?.day ?? '';
  await page.getByLabel('From', { exact: true }).fill(day);
  await page.getByLabel('To', { exact: true }).fill(day);
  await expect.poll(() => searchOf(page)).toEqual({ kind: 'rank-bonus', from: day, to: day });
  const ofDay = await ask(page, `&kind=rank-bonus&from=${day}&to=${day}`);
  await expect.poll(() => idsOf(page)).toEqual(ofDay.slice(0, 25).map(({ id }) => id));
  await page.reload();
  await expect(page.getByLabel('From', { exact: true })).toHaveValue(day);
  await page.getByRole('button', { name: `Remove filter From: ${day}` }).click();
  await expect(page.getByLabel('From', { exact: true })).toHaveValue('');
  await expect.poll(() => searchOf(page)).toEqual({ kind: 'rank-bonus', to: day });
});

test('days without transfers say so and offer to clear the filter', onceOnly, async ({ page }) => {
  await page.goto(`${address}?from=2019-01-01&to=2019-01-02`);
  await expect(page.getByText('No transfers found.', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filter' }).click();
  await expect(rows(page)).toHaveCount(25);
});

const causes = [
  { kind: 'withdrawal', link: 'View withdrawal', leads: /manage-withdraw\?withdrawal=/, opens: 'Withdrawal' },
  { kind: 'task', link: 'View task', leads: /manage-task\?task=/, opens: 'Task' },
  { kind: 'stake-base', link: 'View stake', leads: /manage-staking\?stake=/, opens: 'Stake' },
] as const;

for (const { kind, link, leads, opens } of causes) {
  test(`a transfer of kind ${kind} opens, and its source is one click away`, onceOnly, async ({ page }) => {
    await openList(page, `?kind=${kind}`);
    const [first] = await ask(page, `&kind=${kind}`);
    await rows(page).first().getByRole('link').first().click();
    await expect(fact(page, 'Reference')).toHaveText(String(first?.id));
    // A withdrawal also shows its status while it has not ended.
    await expect(fact(page, 'Source')).toContainText(link);
    await drawer(page).getByRole('link', { name: link }).click();
    await expect(page).toHaveURL(leads);
    await expect(page.getByRole('dialog', { name: opens })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(String(first?.cause)));
  });
}

test('a profile lists the user’s transfers and links to each of them', async ({ page }) => {
  await page.goto('/dashboard');
  const [first] = await ask(page, '&kind=rank-bonus');
  await page.goto(`/dashboard/user-profile/${first?.user?.id}?tab=ledger`);
  const transfers = page.getByRole('table', { name: 'Transfers of this user' });
  await expect(transfers.getByRole('link').first()).toBeVisible();
  const own = await ask(page, `&user=${first?.user?.id}`);
  await transfers.getByRole('link').first().click();
  await expect(fact(page, 'Reference')).toHaveText(String(own[0]?.id));
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: /^Remove filter User:/ })).toBeVisible();
  expect((await idsOf(page)).every((id) => own.some((transfer) => transfer.id === id))).toBe(true);
});

test('a failed request is shown in place and can be retried', onceOnly, async ({ page, watch }) => {
  await holdLiveUpdates(page);
  watch.expectFailureOf('/api/ledger/transfers');
  const lists = (url: URL) => url.pathname === '/api/ledger/transfers';
  await page.route(lists, answerFault);
  await page.goto(address);
  const failure = page.getByRole('main').getByRole('alert');
  await expect(failure).toContainText('Failed to fetch transfers');
  await page.unroute(lists);
  await failure.getByRole('button', { name: 'Retry' }).click();
  await expect(rows(page)).toHaveCount(25);
});

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { fact } from './demo-users.ts';
import { callApi, heading, toast } from './page-helpers.ts';
import { desktopOnly, inGateDesktop, inGateOnBoth, inGateOnce, onceOnly } from './tags.ts';

const address = '/dashboard/manage-withdraw';
const rows = (page: Page) => page.locator('tbody tr[data-row]');
const idsOf = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')));
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const arrived = (page: Page) => expect(page.locator('table')).toHaveAttribute('aria-busy', 'false');
const card = (page: Page, label: string) =>
  page.locator('.figure').filter({ has: page.locator('dt', { hasText: new RegExp(`^${label}$`) }) });
const theSwitch = (page: Page) => page.getByRole('switch', { name: 'Enable withdrawals' });
const drawer = (page: Page) => page.getByRole('dialog');
const dollars = (amount: string) => `$${amount.replace(/\B(?=(\d{3})+\.)/g, ',')}`;

async function openList(page: Page, search = '') {
  await page.goto(`${address}${search}`);
  await expect(rows(page).first()).toBeVisible();
  await arrived(page);
}

type Row = Record<string, string | null> & { id: string; user: string; signals: string[] };

async function ask(page: Page, query = '') {
  const { json } = await callApi(page, 'GET', { path: `/api/withdrawals?limit=100${query}` });
  return (json as { withdrawals: Row[] }).withdrawals;
}

test('the cards count total, completed, pending and failed withdrawals, each with its sum', async ({ page }) => {
  const answered = page.waitForResponse('**/api/withdrawals/figures');
  await openList(page);
  const figures = (await (await answered).json()) as Record<string, { count: number; amount: string }>;
  await expect(heading(page, 'Withdrawal Management')).toBeVisible();
  await expect(page.locator('.figure dt')).toHaveText(['Total', 'Completed', 'Pending', 'Failed']);
  for (const label of ['Total', 'Completed', 'Pending', 'Failed']) {
    const { count, amount } = figures[label.toLowerCase()] ?? { count: -1, amount: '' };
    expect(count).toBeGreaterThan(0);
    await expect(card(page, label).locator('dd').first()).toHaveText(String(count));
    await expect(card(page, label).locator('dd').last()).toHaveText(dollars(amount));
  }
  const { pending } = figures;
  await expect(page.getByText(`${pending?.count} pending, ${dollars(pending?.amount ?? '')}`)).toBeVisible();
});

test('the history shows its columns, newest first', inGateDesktop, async ({ page }) => {
  await openList(page);
  // The first column holds the checkboxes. The ID does not fit and is offered in Display.
  const columns = ['', 'User', 'Amount', 'Wallet', 'Status', 'Date', 'Signals'];
  await expect(page.getByRole('columnheader')).toHaveText(columns);
  const [first] = await ask(page);
  const row = rows(page).first();
  await expect(row).toContainText(String(first?.user));
  await expect(row).toContainText(dollars(String(first?.['amount'])));
  await expect(row).toContainText(String(first?.['status']));
  for (const signal of first?.signals.slice(0, 2) ?? []) await expect(row).toContainText(signal);
  expect(await idsOf(page)).toEqual((await ask(page)).slice(0, 25).map(({ id }) => id));
});

test('an empty history says so and offers to clear the filter', onceOnly, async ({ page }) => {
  await page.goto(`${address}?search=nobody+is+called+this`);
  await expect(page.getByText('No withdrawal records found.', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filter' }).click();
  await expect(rows(page)).toHaveCount(25);
  expect(searchOf(page)).toEqual({});
});

test(
  'the history is filtered by status and searched by user, on the server and in the URL',
  onceOnly,
  async ({ page }) => {
    await openList(page);
    await page.getByRole('button', { name: 'Filter' }).click();
    await expect(page.getByRole('menuitemradio')).toContainText([
      'Pending',
      'Completed',
      'Failed',
      'Waiting for second approver',
    ]);
    await page.getByRole('menuitemradio', { name: 'Failed' }).click();
    await expect.poll(() => searchOf(page)).toEqual({ status: 'Failed' });
    await arrived(page);
    await expect(rows(page).filter({ hasNotText: 'Failed' })).toHaveCount(0);
    const [failed] = await ask(page, '&status=Failed');
    await page.getByRole('searchbox', { name: 'Search by user' }).fill(String(failed?.user));
    await expect.poll(() => searchOf(page)).toEqual({ status: 'Failed', search: failed?.user });
    await arrived(page);
    await expect(rows(page).filter({ hasNotText: String(failed?.user) })).toHaveCount(0);
    const found = await idsOf(page);
    expect(found).toContain(failed?.id);
    await page.reload();
    await arrived(page);
    await expect.poll(() => idsOf(page)).toEqual(found);
    await page.getByRole('button', { name: 'Remove filter Status: Failed' }).click();
    await expect.poll(() => searchOf(page)).toEqual({ search: failed?.user });
  },
);

test('Amount and Date sort on the server in both directions', desktopOnly, async ({ page }) => {
  await openList(page);
  await expect(page.getByRole('columnheader', { name: 'Date' })).toHaveAttribute('aria-sort', 'descending');
  const amounts = async () => {
    await arrived(page);
    const texts = await rows(page).locator('td:nth-child(3)').allTextContents();
    return texts.map((text) => Number(text.replaceAll(/[$,]/g, '')));
  };
  const ascending = (list: number[]) => list.toSorted((a, b) => a - b);
  const header = page.getByRole('columnheader', { name: 'Amount' });
  await header.getByRole('button').click();
  await expect(header).toHaveAttribute('aria-sort', 'descending');
  const largest = await amounts();
  expect(largest).toEqual(ascending(largest).toReversed());
  await header.getByRole('button').click();
  await expect(header).toHaveAttribute('aria-sort', 'ascending');
  const smallest = await amounts();
  expect(smallest).toEqual(ascending(smallest));
  expect(searchOf(page)).toEqual({ sort: 'amount' });
  await page.getByRole('columnheader', { name: 'Date' }).getByRole('button').click();
  await page.getByRole('columnheader', { name: 'Date' }).getByRole('button').click();
  await expect.poll(() => searchOf(page)).toEqual({ sort: 'date' });
});

test('pages go forward and back without gaps or repeated rows', onceOnly, async ({ page }) => {
  await openList(page);
  const all = (await ask(page)).map(({ id }) => id);
  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(() => idsOf(page)).toEqual(all.slice(25, 50));
  await page.reload();
  await expect.poll(() => idsOf(page)).toEqual(all.slice(25, 50));
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect.poll(() => idsOf(page)).toEqual(all.slice(0, 25));
});

test(
  'a row opens its withdrawal with every field, its decision, its signals and a link to the profile',
  inGateOnBoth,
  async ({ page }) => {
    await openList(page, '?status=Failed');
    const [failed] = await ask(page, '&status=Failed');
    await rows(page).first().locator('.amount').click();
    await expect(drawer(page).getByRole('heading', { name: 'Decision' })).toBeVisible();
    expect(searchOf(page)).toEqual({ status: 'Failed', withdrawal: failed?.id });
    await page.reload();
    await expect(drawer(page).getByRole('heading', { name: 'Decision' })).toBeVisible();
    const { json } = await callApi(page, 'GET', { path: `/api/withdrawals/${failed?.id}` });
    const { withdrawal } = json as { withdrawal: Row };
    const grouped = (name: string) => Number(withdrawal[name]).toLocaleString('en');
    await expect(fact(page, 'ID').getByRole('button')).toHaveAttribute('title', withdrawal.id);
    await expect(fact(page, 'User')).toHaveText(withdrawal.user);
    await expect(fact(page, 'Amount')).toHaveText(dollars(String(withdrawal['amount'])));
    await expect(fact(page, 'Wallet').getByRole('button')).toHaveAttribute('title', String(withdrawal['wallet']));
    await expect(fact(page, 'Status')).toHaveText('Failed');
    await expect(fact(page, 'Date').locator('time')).toHaveAttribute('datetime', String(withdrawal['date']));
    for (const name of ['gmpShares', 'prevSLX', 'slxPoints']) await expect(fact(page, name)).toHaveText(grouped(name));
    await expect(fact(page, 'Decided').locator('time')).toHaveAttribute('datetime', String(withdrawal['decidedAt']));
    await expect(fact(page, 'Reason')).toHaveText(String(withdrawal['reason']));
    await expect(drawer(page).locator('.signal-list li')).toHaveCount(withdrawal.signals.length);
    await expect(drawer(page).getByRole('button', { name: /Approve|Reject/ })).toHaveCount(0);
    await fact(page, 'User').getByRole('link').click();
    await expect(page).toHaveURL(`/dashboard/user-profile/${withdrawal['userUuid']}`);
  },
);

test(
  'a completed withdrawal shows its reference, and a requested one shows that it is undecided',
  onceOnly,
  async ({ page }) => {
    await openList(page);
    const completed = (await ask(page, '&status=Completed')).find((one) => one['reference'] !== null);
    await page.goto(`${address}?withdrawal=${completed?.id}`);
    const reference = fact(page, 'Reference').getByRole('button');
    await expect(reference).toHaveAttribute('title', String(completed?.['reference']));
    const pending = (await ask(page, '&status=Pending')).find(
      (one) => one['state'] === 'requested' && one['waitsUntil'] === null,
    );
    await page.goto(`${address}?withdrawal=${pending?.id}`);
    await expect(drawer(page).getByText('Not decided yet.', { exact: true })).toBeVisible();
  },
);

test('Escape and Back close a withdrawal and leave the list as it was', async ({ page }) => {
  await openList(page, '?status=Completed');
  await rows(page).nth(2).locator('.amount').click();
  await expect(drawer(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer(page)).toHaveCount(0);
  await expect(page).toHaveURL(`${address}?status=Completed`);
  await rows(page).nth(1).getByRole('link').click();
  await expect(drawer(page)).toBeVisible();
  await page.goBack();
  await expect(drawer(page)).toHaveCount(0);
  await expect(page).toHaveURL(`${address}?status=Completed`);
});

test(
  'withdrawals are enabled by default; the switch is stored, labeled, and the same for every administrator',
  inGateOnce,
  async ({ page, visit }) => {
    await openList(page);
    await expect(page.getByRole('heading', { name: 'Withdrawal settings' })).toBeVisible();
    await expect(theSwitch(page)).toBeChecked();
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    const stream = colleague.waitForResponse('**/api/events');
    await openList(colleague);
    await stream;

    const sent = page.waitForResponse('**/api/withdrawals/switch');
    await theSwitch(page).click();
    expect((await sent).request().postDataJSON()).toEqual({ enabled: false });
    await expect(theSwitch(colleague)).not.toBeChecked({ timeout: 1_000 });
    await expect(colleague.getByText('Disabled by ines.moreau, just now')).toBeVisible();
    await expect(toast(page, 'Withdrawals disabled')).toBeVisible();
    await page.reload();
    await expect(theSwitch(page)).not.toBeChecked();
    await expect(page.getByText('Disabled by ines.moreau, just now')).toBeVisible();

    await theSwitch(colleague).click();
    await expect(page.getByText('Enabled by kenji.sato, just now')).toBeVisible();
    await expect(theSwitch(page)).toBeChecked();
    await page.reload();
    await expect(theSwitch(page)).toBeChecked();
  },
);

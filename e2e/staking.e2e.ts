import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import type { Environment } from './environment.ts';
import { withOwner } from './owner.ts';
import { fact } from './demo-users.ts';
import { callApi, heading, toast } from './page-helpers.ts';
import { desktopOnly, inGate, onceOnly } from './tags.ts';

const address = '/dashboard/manage-staking';
const rows = (page: Page) => page.locator('tbody tr[data-row]');
const idsOf = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')));
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const list = (page: Page) => page.getByRole('table', { name: 'Stakes' });
const arrived = (page: Page) => expect(list(page)).toHaveAttribute('aria-busy', 'false');
const card = (page: Page, label: string) =>
  page.locator('.figure').filter({ has: page.locator('dt', { hasText: new RegExp(`^${label}$`) }) });
const plans = (page: Page) => page.getByRole('table', { name: 'Plans' });
const drawer = (page: Page) => page.getByRole('dialog');
const dollars = (amount: string) => `$${amount.replace(/\B(?=(\d{3})+\.)/g, ',')}`;

async function openList(page: Page, search = '') {
  await page.goto(`${address}${search}`);
  await expect(rows(page).first()).toBeVisible();
  await arrived(page);
}

type Row = Record<string, string> & { id: string; dailyRate: unknown };

async function ask(page: Page, query = '') {
  const { json } = await callApi(page, 'GET', { path: `/api/staking?limit=100${query}` });
  return (json as { stakes: Row[] }).stakes;
}

let added = 0;

/** Adds an offered plan with a number of days that no other test uses. */
async function addPlan(environment: Environment) {
  added += 1;
  const days = 1_000 + (process.pid % 2_000) + added;
  await withOwner(environment, ({ pool }) =>
    pool.query('insert into stake_plan (days, daily_rate_ppm, offered) values ($1, 2500, true)', [days]),
  );
  return `Offer ${days} days at 0.25% a day`;
}

test('the cards show total stakes, active, completed and the total staked amount', async ({ page }) => {
  const answered = page.waitForResponse('**/api/staking/figures');
  await openList(page);
  const figures = (await (await answered).json()) as Record<string, number | string>;
  await expect(heading(page, 'Staking Management')).toBeVisible();
  const labels = ['Total stakes', 'Active', 'Completed', 'Total staked amount'];
  await expect(page.locator('.figure dt')).toHaveText(labels);
  await expect(card(page, 'Total stakes').locator('dd')).toHaveText(String(figures['total']));
  await expect(card(page, 'Active').locator('dd')).toHaveText(String(figures['active']));
  await expect(card(page, 'Completed').locator('dd')).toHaveText(String(figures['completed']));
  await expect(card(page, 'Total staked amount').locator('dd')).toHaveText(dollars(String(figures['totalStaked'])));
});

test('the summary table shows the stakes, newest first', desktopOnly, async ({ page }) => {
  await openList(page);
  const columns = ['Stake ID', 'User', 'Amount', 'Date', 'Duration', 'Status'];
  await expect(list(page).getByRole('columnheader').filter({ hasNotText: 'Total' })).toHaveText(columns);
  const all = await ask(page);
  const [first] = all;
  const cells = [first?.['stakeId'], first?.['user'], dollars(String(first?.['amount'])), first?.['duration']];
  for (const text of [...cells, first?.['status']]) await expect(rows(page).first()).toContainText(String(text));
  expect(first?.['duration']).toMatch(/^(30|60) days$/);
  expect(await idsOf(page)).toEqual(all.slice(0, 25).map(({ id }) => id));
});

test('the owner’s figures are columns that can be chosen', desktopOnly, async ({ page }) => {
  const chosen = 'stakeId,user,amount,solWalletAddress,totalStaked,totalDeposit,walletBalance,totalEarnings';
  await openList(page, `?columns=${chosen}`);
  await expect(list(page).getByRole('columnheader')).toHaveText([
    'Stake ID',
    'User',
    'Amount',
    'Total Staked',
    'Total Deposit',
    'Wallet Balance',
    'Total Earnings',
    'SOL Wallet Address',
  ]);
  const [first] = await ask(page);
  for (const name of ['totalStaked', 'totalDeposit', 'walletBalance', 'totalEarnings']) {
    await expect(rows(page).first()).toContainText(dollars(String(first?.[name])));
  }
});

test('stakes are filtered by status and searched by user, on the server and in the URL', onceOnly, async ({ page }) => {
  await openList(page);
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page.getByRole('menuitemradio')).toContainText(['Active', 'Completed']);
  await page.getByRole('menuitemradio', { name: 'Completed' }).click();
  await expect.poll(() => searchOf(page)).toEqual({ status: 'Completed' });
  await arrived(page);
  await expect(rows(page).filter({ hasNotText: 'Completed' })).toHaveCount(0);
  const [completed] = await ask(page, '&status=Completed');
  await page.getByRole('searchbox', { name: 'Search by user' }).fill(String(completed?.['user']));
  await expect.poll(() => searchOf(page)).toEqual({ status: 'Completed', search: completed?.['user'] });
  await arrived(page);
  const found = await idsOf(page);
  expect(found).toContain(completed?.id);
  await page.reload();
  await expect.poll(() => idsOf(page)).toEqual(found);
});

test('Amount and Date sort on the server, and paging keeps the order', desktopOnly, async ({ page }) => {
  await openList(page);
  const header = list(page).getByRole('columnheader', { name: 'Amount' });
  await header.getByRole('button').click();
  await expect(header).toHaveAttribute('aria-sort', 'descending');
  const byAmount = (await ask(page, '&sort=-amount')).map(({ id }) => id);
  await expect.poll(() => idsOf(page)).toEqual(byAmount.slice(0, 25));
  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(() => idsOf(page)).toEqual(byAmount.slice(25, 50));
  const date = list(page).getByRole('columnheader', { name: 'Date' });
  await date.getByRole('button').click();
  await date.getByRole('button').click();
  const oldest = (await ask(page, '&sort=date')).map(({ id }) => id);
  await expect.poll(() => idsOf(page)).toEqual(oldest.slice(0, 25));
});

test('a search without a match says so and offers to clear it', onceOnly, async ({ page }) => {
  await page.goto(`${address}?search=nobody+is+called+this`);
  await expect(page.getByText('No stakes found.', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filter' }).click();
  await expect(rows(page)).toHaveCount(25);
});

test('a row opens its stake with every field, its progress and its daily reward', async ({ page }) => {
  await openList(page, '?status=Active');
  const [active] = await ask(page, '&status=Active');
  await rows(page).first().locator('.amount').first().click();
  await expect(drawer(page).getByRole('progressbar')).toBeVisible();
  expect(searchOf(page)).toEqual({ status: 'Active', stake: active?.id });
  await page.reload();
  await expect(drawer(page).getByRole('progressbar')).toBeVisible();
  const { json } = await callApi(page, 'GET', { path: `/api/staking/${active?.id}` });
  const { stake } = json as { stake: Row };
  const value = (name: string) => String(stake[name]);
  await expect(fact(page, 'ID').getByRole('button')).toHaveAttribute('title', stake.id);
  await expect(fact(page, 'Stake ID').getByRole('button')).toHaveAttribute('title', value('stakeId'));
  await expect(fact(page, 'User')).toHaveText(value('user'));
  await expect(fact(page, 'Amount')).toHaveText(dollars(value('amount')));
  await expect(fact(page, 'Date').locator('time')).toHaveAttribute('datetime', value('date'));
  await expect(fact(page, 'Duration')).toHaveText(value('duration'));
  await expect(fact(page, 'Status')).toHaveText('Active');
  await expect(fact(page, 'Daily rate')).toHaveText(`${Number(stake.dailyRate).toFixed(2)}%`);
  const earned = (Number(stake['amount']) * Number(stake.dailyRate)) / 100;
  await expect(fact(page, 'A day earns')).toContainText(`$${earned.toFixed(2)}`);
  const passed = Math.floor((Date.now() - Date.parse(value('date'))) / 86_400_000);
  await expect(drawer(page).getByText(`${passed} of ${value('duration')}`)).toBeVisible();
  await expect(drawer(page).getByRole('progressbar')).toHaveAttribute('value', String(passed));
  const wallet = fact(page, 'solWalletAddress').getByRole('button');
  await expect(wallet).toHaveAttribute('title', value('solWalletAddress'));
  for (const name of ['totalStaked', 'totalDeposit', 'walletBalance', 'totalEarnings']) {
    await expect(fact(page, name)).toHaveText(dollars(value(name)));
  }
  await fact(page, 'User').getByRole('link').click();
  await expect(page).toHaveURL(`/dashboard/user-profile/${value('userUuid')}`);
});

test('a completed stake has passed all of its days; Escape leads back to the list', async ({ page }) => {
  await openList(page, '?status=Completed');
  await rows(page).first().locator('.amount').first().click();
  await expect(drawer(page).getByText(/^(30 of 30|60 of 60) days$/)).toBeVisible();
  await expect(fact(page, 'Completed').locator('time')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer(page)).toHaveCount(0);
  await expect(page).toHaveURL(`${address}?status=Completed`);
});

test(
  'the plans start with 30 and 60 days, and one is added after a second approval',
  inGate,
  async ({ page, visit }) => {
    await openList(page);
    await expect(plans(page).getByRole('columnheader')).toHaveText([
      'Duration',
      'Daily rate',
      'Yearly rate',
      'Offered',
    ]);
    await expect(plans(page).getByRole('row').nth(1)).toContainText(/30 days.*0\.10%/);
    await expect(plans(page).getByRole('row').nth(2)).toContainText(/60 days.*0\.15%/);
    const days = 100 + (process.pid % 800);
    const row = plans(page)
      .getByRole('row')
      .filter({ hasText: `${days} days` });
    await expect(row).toHaveCount(0);

    await page.getByRole('button', { name: 'Add plan' }).click();
    const modal = page.getByRole('dialog');
    await modal.getByRole('button', { name: 'Add plan' }).click();
    await expect(modal.getByLabel('Duration in days')).toHaveAttribute('aria-invalid', 'true');
    await expect(modal.getByLabel('Daily rate in percent')).toHaveAttribute('aria-invalid', 'true');
    await modal.getByLabel('Duration in days').fill(String(days));
    await modal.getByLabel('Daily rate in percent').fill('0.12345');
    await modal.getByRole('button', { name: 'Add plan' }).click();
    await expect(modal.getByText('Enter a percentage from 0 to 100 with at most four decimals.')).toBeVisible();
    await modal.getByLabel('Daily rate in percent').fill('0.12');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await modal.getByRole('button', { name: 'Add plan' }).click();
    expect((await sent).postDataJSON()).toEqual({ days, dailyRate: 0.12 });
    await expect(modal).toHaveCount(0);
    const message = `Plan added: ${days} days at 0.12% a day. Sent to a second approver.`;
    await expect(toast(page, message)).toBeVisible();
    await expect(row).toContainText('0.12%');
    await expect(row.getByRole('link', { name: 'Awaiting approval' })).toBeVisible();

    const colleague = await visit({ as: 'kenji.sato' });
    await openList(colleague);
    await plans(colleague)
      .getByRole('row')
      .filter({ hasText: `${days} days` })
      .getByRole('link')
      .click();
    await expect(fact(colleague, 'Stake plan')).toHaveText(`${days} days`);
    await expect(fact(colleague, 'Daily rate')).toHaveText('0.12%');
    await drawer(colleague).getByRole('button', { name: 'Approve' }).click();
    await expect(row.getByRole('switch')).toBeChecked();
  },
);

test(
  'a plan is withdrawn, requested again and denied, and another administrator sees it immediately',
  onceOnly,
  async ({ page, visit, environment }) => {
    const plan = await addPlan(environment);
    await page.goto(address);
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    const stream = colleague.waitForResponse('**/api/events');
    await openList(colleague);
    await stream;
    const answered = page.waitForResponse('**/offered');
    await page.getByRole('switch', { name: plan }).press('Space');
    await answered;
    await expect(colleague.getByRole('switch', { name: plan })).not.toBeChecked({ timeout: 1_000 });
    await page.reload();
    await expect(page.getByRole('switch', { name: plan })).not.toBeChecked();
    await colleague.getByRole('switch', { name: plan }).press('Space');
    await expect(toast(colleague, 'Sent to a second approver')).toBeVisible();
    await expect(page.getByRole('switch', { name: plan })).toHaveCount(0);
    await plans(page)
      .getByRole('row')
      .filter({ hasText: plan.slice('Offer '.length, plan.indexOf(' days')) })
      .getByRole('link', { name: 'Awaiting approval' })
      .click();
    await drawer(page).getByRole('button', { name: 'Deny' }).click();
    await page.getByLabel('Reason').fill('Not this month.');
    await drawer(page).getByRole('button', { name: 'Deny' }).click();
    await expect(colleague.getByRole('switch', { name: plan })).not.toBeChecked();
  },
);

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { addTicket, freshName } from './page-helpers.ts';
import { desktopOnly, inGateOnBoth, onceOnly } from './tags.ts';

const rows = (page: Page) => page.locator('tbody tr[data-row]');
const idsOf = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')));
const subjects = (page: Page) => rows(page).locator('.ticket-subject').allTextContents();
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

async function openList(page: Page, search = '') {
  await page.goto(`/dashboard/tickets${search}`);
  await expect(rows(page).first()).toBeVisible();
  await expect(page.locator('table')).toHaveAttribute('aria-busy', 'false');
}

const arrived = (page: Page) => expect(page.locator('table')).toHaveAttribute('aria-busy', 'false');

test('a search by subject runs on the server, is in the URL, and can be cleared', onceOnly, async ({ page }) => {
  await openList(page);
  const box = page.getByRole('searchbox', { name: 'Search tickets' });
  await box.fill('wa');
  await expect(page.getByText('3 letters or more')).toBeVisible();
  await box.fill('wallet change');
  await expect.poll(() => searchOf(page)['search']).toBe('wallet change');
  await arrived(page);
  await expect(rows(page).first()).toContainText('Wallet change');
  expect([...new Set(await subjects(page))]).toEqual(['Wallet change']);
  const found = await idsOf(page);
  await page.reload();
  await expect(rows(page)).toHaveCount(found.length);
  expect(await idsOf(page)).toEqual(found);
  await expect(box).toHaveValue('wallet change');
  await page.goBack();
  await expect(box).toHaveValue('');
  await expect(rows(page)).toHaveCount(25);
});

test('a search without a match says so and offers to clear it', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/tickets?search=nothing+is+called+this');
  await expect(page.getByText('No results found.', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filter' }).click();
  await expect(rows(page)).toHaveCount(25);
  expect(searchOf(page)).toEqual({});
});

test(
  'the status filter narrows the list, is in the URL, and is removed by its chip',
  inGateOnBoth,
  async ({ page }) => {
    await openList(page);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('menuitemradio', { name: 'rejected' }).click();
    await expect.poll(() => searchOf(page)).toEqual({ status: 'rejected' });
    await arrived(page);
    await expect(rows(page).filter({ hasNotText: 'rejected' })).toHaveCount(0);
    await expect(rows(page).first()).toBeVisible();
    await page.getByRole('button', { name: 'Remove filter Status: rejected' }).click();
    await expect.poll(() => searchOf(page)).toEqual({});
    await expect(rows(page)).toHaveCount(25);
  },
);

test('a header sorts on the server in both directions, and Back undoes it', desktopOnly, async ({ page }) => {
  await openList(page);
  await expect(page.getByRole('columnheader', { name: 'Date Submitted' })).toHaveAttribute('aria-sort', 'descending');
  const newest = await idsOf(page);
  const header = page.getByRole('columnheader', { name: 'Subject' });
  await header.getByRole('button').click();
  await expect(header).toHaveAttribute('aria-sort', 'ascending');
  await arrived(page);
  expect(searchOf(page)).toEqual({ sort: 'type' });
  const ascending = await subjects(page);
  expect(ascending).toEqual([...ascending].sort());
  await header.getByRole('button').click();
  await expect(header).toHaveAttribute('aria-sort', 'descending');
  await arrived(page);
  const descending = await subjects(page);
  expect(descending).toEqual([...descending].sort().reverse());
  await page.goBack();
  await page.goBack();
  await arrived(page);
  expect(await idsOf(page)).toEqual(newest);
});

test(
  'pages go forward and back without gaps or repeated rows, and a reload shows the same page',
  onceOnly,
  async ({ page }) => {
    await openList(page, '?sort=createdAt');
    const first = await idsOf(page);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => searchOf(page)['cursor']).toBeTruthy();
    await arrived(page);
    const second = await idsOf(page);
    expect(second).toHaveLength(25);
    expect(second.filter((id) => first.includes(id))).toEqual([]);
    await page.reload();
    await arrived(page);
    expect(await idsOf(page)).toEqual(second);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(async () => (await idsOf(page)).filter((id) => second.includes(id))).toEqual([]);
    await page.getByRole('button', { name: 'Previous' }).click();
    await expect.poll(() => idsOf(page)).toEqual(second);
    await page.getByRole('button', { name: 'Previous' }).click();
    await expect.poll(() => idsOf(page)).toEqual(first);
    await expect(page.getByRole('button', { name: 'Previous' })).toBeDisabled();
    await page.goBack();
    await expect.poll(() => idsOf(page)).toEqual(second);
  },
);

test('columns and density are chosen and kept in the URL', desktopOnly, async ({ page }) => {
  await openList(page);
  const height = async () => (await rows(page).first().boundingBox())?.height ?? 0;
  const comfortable = await height();
  await page.getByRole('button', { name: 'Display' }).click();
  await page.getByRole('menuitemradio', { name: 'Compact' }).click();
  await expect(page.locator('table')).toHaveAttribute('data-density', 'compact');
  const menu = page.getByRole('menu');
  if (!(await menu.isVisible())) await page.getByRole('button', { name: 'Display' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Username' }).click();
  await expect.poll(() => searchOf(page)).toEqual({ density: 'compact', columns: 'id,type,status,createdAt,actions' });
  const columns = ['ID', 'Subject', 'Status', 'Date Submitted', 'Actions'];
  await expect(page.getByRole('columnheader')).toHaveText(columns);
  await page.reload();
  await expect(rows(page).first()).toBeVisible();
  await expect(page.getByRole('columnheader')).toHaveText(columns);
  expect(await height()).toBeLessThan(comfortable);
});

test('a link reproduces search, filter, sort, columns and density together', onceOnly, async ({ page }) => {
  await openList(page, '?search=wallet&status=closed&sort=-username&columns=type,username,actions&density=compact');
  await expect(page.getByRole('columnheader')).toHaveText(['Subject', 'Username', 'Actions']);
  await expect(page.getByRole('searchbox')).toHaveValue('wallet');
  await expect(page.getByRole('button', { name: 'Remove filter Status: closed' })).toBeVisible();
  const names = await rows(page).locator('td:nth-child(2)').allTextContents();
  expect(names).toEqual([...names].sort().reverse());
});

test('a mistyped URL still shows the list', onceOnly, async ({ page }) => {
  await openList(page, '?status=nonsense&sort=wrong&density=huge&ticket=7');
  await expect(rows(page)).toHaveCount(25);
});

test(
  'a cursor that was tampered with is reported, and Retry shows the first page',
  onceOnly,
  async ({ page, watch }) => {
    watch.expectFailureOf('/api/tickets/all');
    await page.goto('/dashboard/tickets?cursor=tampered');
    await page.getByRole('main').getByRole('button', { name: 'Retry' }).click();
    await expect(rows(page)).toHaveCount(25);
  },
);

test('j and k move between the rows, and Enter opens one', async ({ page }) => {
  await openList(page);
  const [first, second] = await idsOf(page);
  await page.locator('body').press('j');
  await expect(page.locator(`tr[data-row="${first}"]`)).toBeFocused();
  await page.keyboard.press('j');
  await expect(page.locator(`tr[data-row="${second}"]`)).toBeFocused();
  await page.keyboard.press('k');
  await expect(page.locator(`tr[data-row="${first}"]`)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(searchOf(page)).toEqual({ ticket: second });
  await expect(page.getByRole('dialog').locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.locator(`tr[data-row="${second}"]`)).toBeFocused();
});

test('a search by the name of the submitter finds a ticket', onceOnly, async ({ page }) => {
  await page.goto('/dashboard');
  const type = freshName('findme');
  await addTicket(page, { type });
  await openList(page, '?search=ines.moreau');
  await expect(rows(page).filter({ hasText: type })).toHaveCount(1);
});

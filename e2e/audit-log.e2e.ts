import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { demoUser } from './demo-users.ts';
import { addTicket, callApi, freshName, heading } from './page-helpers.ts';
import { onceOnly } from './tags.ts';

const rows = (page: Page) => page.locator('tbody tr[data-row]');
const drawer = (page: Page) => page.getByRole('dialog');
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

type Entry = { id: string; action: string; actor: string | null };

async function ask(page: Page, query: string) {
  const { json } = await callApi(page, 'GET', { path: `/api/audit?limit=25${query}` });
  return (json as { entries: Entry[] }).entries;
}

const idsOf = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')));

test('the log is narrowed on the server, and a row leads to its item and back', async ({ page }) => {
  await page.goto('/dashboard/audit');
  const id = await addTicket(page, { type: freshName('audited') });
  await expect(heading(page, 'Audit Log')).toBeVisible();
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('menuitemradio', { name: 'Tickets', exact: true }).click();
  await expect.poll(() => searchOf(page)).toEqual({ feature: 'tickets' });
  const tickets = await ask(page, '&feature=tickets');
  await expect.poll(() => idsOf(page)).toEqual(tickets.map((entry) => entry.id));
  await page.reload();
  await expect(page.getByRole('list', { name: 'Active filters' })).toContainText('Tickets');

  await page.goto(`/dashboard/audit?subject=${id}`);
  await rows(page).first().locator('.table-name').click();
  await expect(drawer(page).getByRole('table')).toContainText('audited');
  await drawer(page)
    .getByRole('link', { name: /^Ticket / })
    .click();
  await expect(page).toHaveURL(new RegExp(`tickets\\?ticket=${id}`));
  await drawer(page).getByRole('button', { name: 'Trail' }).click();
  await expect(drawer(page).getByText('Create', { exact: true })).toBeVisible();
  await page.goBack();
  await expect(drawer(page).getByRole('table')).toContainText('audited');
});

test('the log is verified on the worker, and the verdict stays', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/audit');
  // The first head of a new log follows within seconds.
  await expect(page.getByText('Last signed checkpoint published')).toBeVisible({ timeout: 40_000 });
  await page.getByRole('button', { name: 'Verify log' }).click();
  await expect(page.getByText('Audit log intact')).toBeVisible({ timeout: 20_000 });
  await page.reload();
  await expect(page.getByText('Audit log intact')).toBeVisible();
});

test('an auditor reads the log, and the trail of a user', onceOnly, async ({ visit }) => {
  const auditor = await visit({ as: 'lucia.brandt' });
  await auditor.goto('/dashboard/audit');
  await expect(rows(auditor).first()).toBeVisible();
  const { address } = await demoUser(auditor, 3);
  await auditor.goto(`${address}?tab=audit`);
  await expect(auditor.getByRole('link', { name: 'Audit trail' })).toHaveAttribute('aria-current', 'page');
});

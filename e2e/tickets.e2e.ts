import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { addTicket, countCalls, freshName, heading, isPhone } from './page-helpers.ts';
import { desktopOnly, inGate, inGateOnce, onceOnly } from './tags.ts';

const ticketModal = (page: Page) => page.getByRole('dialog');
const statuses = ['open', 'in_progress', 'awaiting_user', 'resolved', 'closed', 'rejected'];

async function openTickets(page: Page, search = '') {
  await page.goto(`/dashboard/tickets${search}`);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
}

async function writeTicket(page: Page, given: { subject: string; description: string }) {
  await page.getByRole('button', { name: 'New Ticket' }).click();
  const modal = page.getByRole('dialog');
  await expect(modal.getByText('Submit New Ticket')).toBeVisible();
  await modal.getByLabel('Subject').fill(given.subject);
  await modal.getByLabel('Description').fill(given.description);
  await modal.getByRole('button', { name: 'Submit Ticket' }).click();
  return modal;
}

async function choose(modal: Locator, status: string) {
  const select = modal.getByLabel('Status');
  await select.selectOption(status);
  await expect(select).toBeEnabled();
  await expect(select).toHaveValue(status);
}

test('the tickets are shown with the specified columns, their total and a New Ticket button', async ({ page }) => {
  const answered = page.waitForResponse('**/api/tickets/all');
  await openTickets(page);
  const { tickets, total } = (await (await answered).json()) as { tickets: unknown[]; total: { count: number } };
  expect(tickets).toHaveLength(25);
  await expect(heading(page, 'Support Tickets')).toBeVisible();
  await expect(page.getByText(`${total.count} tickets`, { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'New Ticket' })).toBeVisible();
  if (isPhone(page)) return;
  const columns = ['ID', 'Subject', 'Username', 'Status', 'Date Submitted', 'Actions'];
  await expect(page.getByRole('columnheader')).toHaveText(columns);
});

test('a new ticket needs a subject and a description, and nothing is sent without them', async ({ page }) => {
  await openTickets(page);
  const calls = countCalls(page, '/api/tickets');
  const modal = await writeTicket(page, { subject: '', description: '  ' });
  await expect(modal.getByLabel('Subject')).toHaveAttribute('aria-invalid', 'true');
  await expect(modal.getByLabel('Description')).toHaveAttribute('aria-invalid', 'true');
  expect(calls()).toBe(0);
});

test('a ticket is created, answered and closed, from New Ticket to Close Ticket', inGate, async ({ page }) => {
  await openTickets(page);
  const subject = `Payout missing ${freshName('life')}`;
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  const form = await writeTicket(page, { subject, description: 'The payout of Monday did not come.' });
  expect((await sent).postDataJSON()).toEqual({ type: subject, description: 'The payout of Monday did not come.' });
  await expect(form).toHaveCount(0);
  const first = page.getByRole('row').nth(1);
  await expect(first).toContainText(subject);
  await expect(first).toContainText('ines.moreau');
  await expect(first).toContainText('open');

  await first.getByRole('link', { name: `View ticket: ${subject}` }).click();
  const modal = ticketModal(page);
  await expect(modal.getByText('The payout of Monday did not come.')).toBeVisible();
  await expect(modal.getByText('No replies yet.', { exact: true })).toBeVisible();
  await expect(modal.getByLabel('Status').locator('option')).toHaveText(statuses);

  await modal.getByLabel('Reply').fill('We are looking into it.');
  const replied = page.waitForRequest('**/api/tickets/*/reply');
  await modal.getByRole('button', { name: 'Send Reply' }).click();
  expect((await replied).postDataJSON()).toEqual({ message: 'We are looking into it.' });
  await expect(modal.locator('.ticket-thread')).toContainText('We are looking into it.');
  await expect(modal.locator('.ticket-thread')).toContainText('ines.moreau');
  await expect(modal.getByText('No replies yet.')).toHaveCount(0);
  await expect(modal.getByLabel('Reply')).toHaveValue('');
  await expect(modal.getByLabel('Status')).toHaveValue('in_progress');

  for (const status of ['awaiting_user', 'resolved', 'closed', 'rejected', 'open', 'in_progress']) {
    await choose(modal, status);
  }
  const closed = page.waitForRequest('**/api/tickets/*/status');
  await modal.getByRole('button', { name: 'Close Ticket' }).click();
  expect((await closed).postDataJSON()).toEqual({ status: 'closed' });
  await expect(modal.getByLabel('Status')).toHaveValue('closed');
  await page.keyboard.press('Escape');
  await expect(modal).toHaveCount(0);
  await expect(page.getByRole('row').filter({ hasText: subject })).toContainText('closed');
  await page.reload();
  await expect(page.getByRole('row').filter({ hasText: subject })).toContainText('closed');
});

test('web links in a ticket and in a reply open in a new tab and get no referrer', onceOnly, async ({ page }) => {
  await page.goto('/dashboard');
  const type = freshName('links');
  const description =
    'See https://example.com/a?b=1 and http://example.org. Write to me@example.com or javascript:alert(1)';
  const id = await addTicket(page, { type, description });
  await page.goto(`/dashboard/tickets?ticket=${id}`);
  const modal = ticketModal(page);
  await expect(modal.getByText('No replies yet.')).toBeVisible();
  await modal.getByLabel('Reply').fill('Answered at https://example.net/answer');
  await modal.getByRole('button', { name: 'Send Reply' }).click();
  const links = modal.locator('.ticket-text a');
  await expect(links).toHaveCount(3);
  const addresses = ['https://example.com/a?b=1', 'http://example.org', 'https://example.net/answer'];
  for (const [index, address] of addresses.entries()) {
    await expect(links.nth(index)).toHaveAttribute('href', address);
    await expect(links.nth(index)).toHaveAttribute('target', '_blank');
    await expect(links.nth(index)).toHaveAttribute('rel', /noopener.*noreferrer/);
  }
});

test('text that looks like a script stays text', inGateOnce, async ({ page }) => {
  await page.goto('/dashboard');
  const script = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>';
  const id = await addTicket(page, { type: `<b>${freshName('bold')}</b>`, description: script });
  await page.goto(`/dashboard/tickets?ticket=${id}`);
  const modal = ticketModal(page);
  await expect(modal.getByText(script, { exact: true })).toBeVisible();
  await modal.getByLabel('Reply').fill(script);
  await modal.getByRole('button', { name: 'Send Reply' }).click();
  await expect(modal.locator('.ticket-thread')).toContainText(script);
  await expect(modal.locator('img, script, b')).toHaveCount(0);
  expect(await page.evaluate(() => 'broken' in window)).toBe(false);
});

test('a ticket opens by its URL alone, and closing it shows the list', onceOnly, async ({ page }) => {
  await page.goto('/dashboard');
  const type = freshName('addressed');
  const id = await addTicket(page, { type });
  const loaded = page.waitForResponse(`**/api/tickets/${id}`);
  await page.goto(`/dashboard/tickets?ticket=${id}`);
  const { ticket, replies } = (await (await loaded).json()) as { ticket: object; replies: unknown[] };
  expect(ticket).toMatchObject({
    id,
    type,
    description: expect.any(String),
    username: expect.any(String),
    status: 'open',
    createdAt: expect.any(String),
    response: null,
  });
  expect(replies).toEqual([]);
  await expect(ticketModal(page).getByText(type)).toBeVisible();
  await ticketModal(page).getByRole('button', { name: 'Close', exact: true }).click();
  await expect(ticketModal(page)).toHaveCount(0);
  await expect(page).toHaveURL('/dashboard/tickets');
});

test('Back closes a ticket and returns to the list as it was', onceOnly, async ({ page }) => {
  await openTickets(page, '?status=open&sort=type');
  await page
    .getByRole('link', { name: /^View ticket/ })
    .nth(3)
    .click();
  await expect(ticketModal(page).getByText('No replies yet.')).toBeVisible();
  await page.goBack();
  await expect(ticketModal(page)).toHaveCount(0);
  await expect(page).toHaveURL('/dashboard/tickets?status=open&sort=type');
});

test('Ctrl and Enter send a reply', onceOnly, async ({ page }) => {
  await page.goto('/dashboard');
  const id = await addTicket(page, { type: freshName('keys') });
  await page.goto(`/dashboard/tickets?ticket=${id}`);
  const box = ticketModal(page).getByLabel('Reply');
  await box.fill('Sent by keyboard.');
  await box.press('Control+Enter');
  await expect(ticketModal(page).locator('.ticket-thread')).toContainText('Sent by keyboard.');
});

test('two tickets are answered one after the other without the mouse', desktopOnly, async ({ page }) => {
  await page.goto('/dashboard');
  const older = freshName('older');
  const newer = freshName('newer');
  for (const type of [older, newer]) await addTicket(page, { type });
  await openTickets(page);
  await expect(page.getByRole('row').nth(2)).toContainText(older);
  const modal = ticketModal(page);

  await page.locator('body').press('j');
  await page.keyboard.press('Enter');
  await expect(modal.getByText(newer)).toBeVisible();
  await expect(modal.getByLabel('Reply')).toBeFocused();
  await page.keyboard.type('Answered with Ctrl and Enter.');
  await page.keyboard.press('Control+Enter');
  await expect(modal.locator('.ticket-thread')).toContainText('Answered with Ctrl and Enter.');
  await page.keyboard.press('Escape');
  await expect(modal).toHaveCount(0);

  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(modal.getByText(older)).toBeVisible();
  await expect(modal.getByLabel('Reply')).toBeFocused();
  await page.keyboard.type('Answered with the button.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(modal.locator('.ticket-thread')).toContainText('Answered with the button.');
  await expect(modal.getByLabel('Reply')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(modal).toHaveCount(0);
  for (const subject of [newer, older]) {
    await expect(page.getByRole('row').filter({ hasText: subject })).toContainText('in_progress');
  }
});

test(
  'when an answered ticket no longer matches the filter, the next one takes its place',
  onceOnly,
  async ({ page }) => {
    await page.goto('/dashboard');
    const older = freshName('older');
    const newer = freshName('newer');
    for (const type of [older, newer]) await addTicket(page, { type });
    await openTickets(page, '?status=open');
    await page.locator('body').press('j');
    await page.keyboard.press('Enter');
    await expect(ticketModal(page).getByText(newer)).toBeVisible();
    await expect(ticketModal(page).getByLabel('Reply')).toBeFocused();
    await page.keyboard.type('Answered.');
    await page.keyboard.press('Control+Enter');
    await expect(page.locator('tbody tr').filter({ hasText: newer })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(ticketModal(page)).toHaveCount(0);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect(ticketModal(page).getByText(older)).toBeVisible();
  },
);

test(
  'an administrator who may not write tickets can read them, with every action disabled',
  onceOnly,
  async ({ page, visit }) => {
    await page.goto('/dashboard');
    const id = await addTicket(page, { type: freshName('readonly') });
    const reader = await visit({ as: 'kenji.sato' });
    await reader.goto(`/dashboard/tickets?ticket=${id}`);
    const modal = ticketModal(reader);
    await expect(modal.getByText('No replies yet.')).toBeVisible();
    await expect(modal.getByLabel('Status')).toBeDisabled();
    await expect(modal.getByLabel('Reply')).toBeDisabled();
    await expect(modal.getByRole('button', { name: 'Close Ticket' })).toHaveAttribute('aria-disabled', 'true');
    await expect(modal.getByRole('button', { name: 'Send Reply' })).toHaveAttribute('aria-disabled', 'true');
    await reader.goto('/dashboard/tickets');
    await expect(reader.getByRole('button', { name: 'New Ticket' })).toHaveAttribute('aria-disabled', 'true');
  },
);

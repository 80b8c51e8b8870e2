import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { addTicket, answerFault, anyToast, cutOff, freshName, holdLiveUpdates, toast } from './pieces.ts';
import { onceOnly } from './tags.ts';

/** A failure that is told again takes its older toast back; while that one leaves there are two. */
const retry = (page: Page, words: string) => toast(page, words).last().getByRole('button', { name: 'Retry' }).click();

/** The specification wants the message logged; the page logs it as a warning, beside telling it. */
function loggedBy(page: Page) {
  const logged: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning') logged.push(message.text());
  });
  return (words: string) => expect.poll(() => logged.some((line) => line.startsWith(words))).toBe(true);
}

async function openNewTicket(page: Page) {
  await page.goto('/dashboard');
  const id = await addTicket(page, { type: freshName('failing') });
  await page.goto(`/dashboard/tickets?ticket=${id}`);
  const modal = page.getByRole('dialog');
  await expect(modal.getByText('No replies yet.')).toBeVisible();
  return { id, modal };
}

test('Failed to fetch tickets is logged, told, and retried', onceOnly, async ({ page, watch }) => {
  await holdLiveUpdates(page);
  watch.expectFailureOf('/api/tickets/all');
  const logged = loggedBy(page);
  await page.route('**/api/tickets/all*', answerFault);
  await page.goto('/dashboard/tickets');
  const told = page.getByRole('main').getByRole('alert');
  await expect(told).toContainText('Failed to fetch tickets');
  await logged('Failed to fetch tickets');
  await expect(anyToast(page)).toHaveCount(0);
  await expectAccessible(page);
  await page.unroute('**/api/tickets/all*');
  await told.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('row').nth(1)).toBeVisible();
});

test(
  'Failed to create ticket is logged, told, and retried with what was written',
  onceOnly,
  async ({ page, watch }) => {
    watch.expectFailureOf('/api/tickets');
    const logged = loggedBy(page);
    const subject = freshName('again');
    await page.goto('/dashboard/tickets');
    await page.route('**/api/tickets', cutOff);
    await page.getByRole('button', { name: 'New Ticket' }).click();
    const modal = page.getByRole('dialog');
    await modal.getByLabel('Subject').fill(subject);
    await modal.getByLabel('Description').fill('Written once.');
    await modal.getByRole('button', { name: 'Submit Ticket' }).click();
    await expect(toast(page, 'Failed to create ticket').last()).toBeVisible();
    await logged('Failed to create ticket');
    await expect(modal.getByLabel('Subject')).toHaveValue(subject);
    await page.unroute('**/api/tickets');
    await retry(page, 'Failed to create ticket');
    await expect(modal).toHaveCount(0);
    await expect(page.getByRole('row').nth(1)).toContainText(subject);
  },
);

test('Failed to fetch ticket details is logged, told, and retried', onceOnly, async ({ page, watch }) => {
  await page.goto('/dashboard');
  const id = await addTicket(page, { type: freshName('details') });
  await holdLiveUpdates(page);
  watch.expectFailureOf(`/api/tickets/${id}`);
  const logged = loggedBy(page);
  await page.route(`**/api/tickets/${id}`, answerFault);
  await page.goto(`/dashboard/tickets?ticket=${id}`);
  const told = page.getByRole('dialog').getByRole('alert');
  await expect(told).toContainText('Failed to fetch ticket details');
  await logged('Failed to fetch ticket details');
  await expect(anyToast(page)).toHaveCount(0);
  await page.unroute(`**/api/tickets/${id}`);
  await told.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('dialog').getByText('No replies yet.')).toBeVisible();
});

test('Failed to update ticket status is logged, told, and retried', onceOnly, async ({ page, watch }) => {
  const { id, modal } = await openNewTicket(page);
  watch.expectFailureOf(`/api/tickets/${id}/status`);
  const logged = loggedBy(page);
  await page.route('**/api/tickets/*/status', cutOff);
  await modal.getByLabel('Status').selectOption('resolved');
  await expect(toast(page, 'Failed to update ticket status').last()).toBeVisible();
  await logged('Failed to update ticket status');
  await expect(modal.getByLabel('Status')).toHaveValue('open');
  await page.unroute('**/api/tickets/*/status');
  await retry(page, 'Failed to update ticket status');
  await expect(modal.getByLabel('Status')).toHaveValue('resolved');
});

test('Failed to submit reply is logged, told, keeps the text, and is retried', onceOnly, async ({ page, watch }) => {
  const { id, modal } = await openNewTicket(page);
  watch.expectFailureOf(`/api/tickets/${id}/reply`);
  const logged = loggedBy(page);
  await page.route('**/api/tickets/*/reply', cutOff);
  await modal.getByLabel('Reply').fill('Not to be typed twice.');
  await modal.getByRole('button', { name: 'Send Reply' }).click();
  await expect(toast(page, 'Failed to submit reply').last()).toBeVisible();
  await logged('Failed to submit reply');
  await expect(modal.getByLabel('Reply')).toHaveValue('Not to be typed twice.');
  await page.unroute('**/api/tickets/*/reply');
  await retry(page, 'Failed to submit reply');
  await expect(modal.locator('.ticket-thread li')).toHaveCount(1);
  await expect(modal.getByLabel('Reply')).toHaveValue('');
});

test('Failed to close ticket is logged, told, and retried', onceOnly, async ({ page, watch }) => {
  const { id, modal } = await openNewTicket(page);
  watch.expectFailureOf(`/api/tickets/${id}/status`);
  const logged = loggedBy(page);
  await page.route('**/api/tickets/*/status', cutOff);
  await modal.getByRole('button', { name: 'Close Ticket' }).click();
  await expect(toast(page, 'Failed to close ticket').last()).toBeVisible();
  await logged('Failed to close ticket');
  await page.unroute('**/api/tickets/*/status');
  await retry(page, 'Failed to close ticket');
  await expect(modal.getByLabel('Status')).toHaveValue('closed');
});

test('a toast of a failure is accessible', async ({ page, watch }) => {
  const { id, modal } = await openNewTicket(page);
  watch.expectFailureOf(`/api/tickets/${id}/status`);
  await page.route('**/api/tickets/*/status', answerFault);
  await modal.getByRole('button', { name: 'Close Ticket' }).click();
  await expect(toast(page, 'Failed to close ticket').last()).toBeVisible();
  await expectAccessible(page);
});

import { countApprovals } from 'contract/approvals-count.ts';
import { countTickets } from 'contract/tickets-count.ts';
import { readWithdrawalFigures } from 'contract/withdrawals-figures.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { adminWith, answerFrame, answerMenuCounts, visitSignedIn } from '#panel/testing/app.ts';
import { callsTo, emit, fault } from '#panel/testing/server.ts';

const address = '/dashboard/settings';
const link = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });
const counts = () => [...document.querySelectorAll('.sidebar-count')].map(({ textContent }) => textContent);

test('the menu counts open tickets, pending withdrawals and requests that the administrator may approve', async () => {
  answerFrame();
  answerMenuCounts({ tickets: 24, withdrawals: 1_204, approvals: 3 });
  visitSignedIn(address);
  await expect.poll(counts).toEqual(['24', '1k+', '3']);
  await expect.element(link('Ticketing')).toHaveAccessibleDescription('24 open');
  await expect.element(link('Manage Withdrawals')).toHaveAccessibleDescription('1,204 pending');
  await expect.element(link('Approvals')).toHaveAccessibleDescription('3 for you to decide');
});

test('a count is updated when a change is announced, and a count of zero is not shown', async () => {
  answerFrame();
  visitSignedIn(address);
  await expect.element(link('Ticketing')).toBeVisible();
  expect(counts()).toEqual([]);
  answerMenuCounts({ tickets: 1, withdrawals: 0, approvals: 2 });
  emit('tickets');
  emit('approvals');
  await expect.poll(counts).toEqual(['1', '2']);
});

test('a count is neither shown nor fetched without the permission to act on it', async () => {
  answerFrame(adminWith('Support'));
  answerMenuCounts({ tickets: 5, withdrawals: 6, approvals: 7 });
  visitSignedIn(address);
  await expect.poll(counts).toEqual(['5']);
  expect(callsTo(readWithdrawalFigures)).toHaveLength(0);
  expect(callsTo(countApprovals)).toHaveLength(0);
});

test('a count that fails to load is not shown, and the menu still works', async () => {
  answerFrame();
  answerMenuCounts({ tickets: 5, withdrawals: 6, approvals: 7 });
  fault(countTickets);
  visitSignedIn(address);
  await expect.poll(counts).toEqual(['6', '7']);
});

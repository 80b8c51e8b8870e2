import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { answerTickets, ticket } from '#panel/testing/ticket-answers.ts';
import { answerUsers, user } from '#panel/testing/user-answers.ts';

/** A window of 1024 pixels minus a scrollbar of 15, because the test browser hides its scrollbars. */
const narrow = () => page.viewport(1024 - 15, 768);

afterEach(() => page.viewport(1440, 900));

const headings = () => page.getByRole('columnheader').elements();
const titles = () => headings().map((heading) => heading.textContent);

/** Expects that nothing scrolls horizontally and that no heading or cell is cut off. */
function expectNothingCutOff() {
  expect(document.querySelector('.table-region')).not.toHaveAttribute('data-overflows');
  const cut = [...document.querySelectorAll<HTMLElement>('.table-head, .table-cell')].filter(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  );
  expect(
    cut.map(({ textContent, scrollWidth, clientWidth }) => `${textContent} ${scrollWidth} in ${clientWidth}`),
  ).toEqual([]);
}

test('all six columns of User Management fit at 1024 pixels', async () => {
  await narrow();
  const users = Array.from({ length: 25 }, (_, index) =>
    user({ userId: `U${10_000_001 + index}`, username: 'milan.costa', role: 'Admin' }),
  );
  answerUsers(users);
  visitSignedIn('/dashboard/users');
  await expect.element(page.getByRole('row').nth(25)).toBeVisible();
  expect(titles()).toEqual(['#', 'User ID', 'Username', 'Role', 'Created At', 'Actions']);
  expectNothingCutOff();
});

test('all six columns of Support Tickets fit at 1024 pixels', async () => {
  await narrow();
  const tickets = Array.from({ length: 25 }, () =>
    ticket({ type: 'Withdrawal still pending', status: 'awaiting_user' }),
  );
  answerTickets(tickets);
  visitSignedIn('/dashboard/tickets');
  await expect.element(page.getByRole('row').nth(25)).toBeVisible();
  expect(titles()).toEqual(['ID', 'Subject', 'Username', 'Status', 'Date Submitted', 'Actions']);
  expectNothingCutOff();
});

test('a phone shows fewer columns', async () => {
  await page.viewport(390, 844);
  answerTickets([ticket()]);
  visitSignedIn('/dashboard/tickets');
  await expect.element(page.getByRole('row').nth(1)).toBeVisible();
  expect(titles()).toEqual(['Subject', 'Actions']);
});

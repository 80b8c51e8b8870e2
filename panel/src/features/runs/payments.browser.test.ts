import { listRunLines } from 'contract/runs-lines.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { visitSignedIn } from '#panel/testing/app.ts';
import { answerRun, listedRun, runLine } from '#panel/testing/run-answers.ts';
import { expectNone, main } from '#panel/testing/screen.ts';
import { callsTo, refuse } from '#panel/testing/server.ts';

/* Search, sort order and explanations of the payments of a run. */
const run = listedRun();
const reversal = listedRun({ reverses: run.id, reason: 'The rate was wrong.' });
const open = (id: string) => visitSignedIn(`/dashboard/runs/${id}`);
const amount = () => page.getByRole('searchbox', { name: 'Search amount' });
const lastQuery = () => callsTo(listRunLines).at(-1)?.querystring;

test('payments are searched by user and by amount, exact or in a range, and an invalid amount is not sent', async () => {
  answerRun(run, { lines: [runLine()] });
  open(run.id);
  await page.getByRole('searchbox', { name: 'Search user' }).fill('milan');
  await expect.poll(lastQuery).toMatchObject({ search: 'milan' });
  await amount().fill('$3.50');
  await expect.poll(lastQuery).toMatchObject({ search: 'milan', minAmount: '3.50', maxAmount: '3.50' });
  await amount().fill('10 - 20');
  await expect.poll(lastQuery).toMatchObject({ minAmount: '10', maxAmount: '20' });
  const calls = callsTo(listRunLines).length;
  await amount().fill('ten');
  await expect.element(page.getByText('12.50, 10-20 or >10')).toBeVisible();
  await expect.poll(() => window.location.search).toBe('?search=milan');
  expect(callsTo(listRunLines)).toHaveLength(calls);
  await expectAccessible();
});

test('payments are sorted by amount and by user, and a reversal by its signed amounts', async () => {
  answerRun(run, { lines: [runLine()] });
  open(run.id);
  await page.getByRole('button', { name: 'Amount', exact: true }).click();
  await expect.poll(lastQuery).toMatchObject({ sort: '-amount' });
  await page.getByRole('button', { name: 'User', exact: true }).click();
  await expect.poll(() => page.getByRole('columnheader', { name: 'User' }).element().ariaSort).toBe('ascending');
  answerRun(reversal, { lines: [runLine()] });
  open(reversal.id);
  await page.getByRole('button', { name: 'Reversed', exact: true }).click();
  await expect.element(page.getByRole('columnheader', { name: 'Reversed' })).toHaveAttribute('aria-sort', 'descending');
  // The greatest negative amount is the smallest reversed amount.
  await expect.poll(lastQuery).toMatchObject({ sort: 'amount' });
});

test('each payment shows the user’s number and the id of the stake, and a reversed one is struck out', async () => {
  answerRun(listedRun({ reversed: 'partly' }), { lines: [runLine({ reversed: true })] });
  open(run.id);
  const row = page.getByRole('row').filter({ hasText: 'milancosta' });
  await expect.element(row).toBeVisible();
  expect(row.element().textContent).toContain('U-100001');
  await expect.element(row.getByTitle('S100001320')).toBeVisible();
  expect(row.element().querySelector('s')?.textContent).toBe('$3.50');
  expect(row.element().querySelector('.status')?.textContent).toBe('Reversed');
});

test('a search that matches too many users asks for a longer search text', async () => {
  answerRun(run);
  refuse(listRunLines, 'TooManyUsers');
  visitSignedIn(`/dashboard/runs/${run.id}?search=costa`);
  const text = 'More than 1,000 users match. Enter more of the username, user ID or wallet.';
  await expect.element(page.getByText(text)).toBeVisible();
});

test('the plan fingerprint is shown with what it proves', async () => {
  answerRun(run);
  open(run.id);
  await expect.element(main().getByText('Plan fingerprint')).toBeVisible();
  await expect
    .element(main().getByText(/^Proves that what is paid is exactly what was planned and approved/))
    .toBeVisible();
});

test('with released loyalty the page explains by how much the two paid amounts differ', async () => {
  const released = listedRun({ releases: '12.00', paid: '68.555' });
  answerRun(released);
  open(released.id);
  const text =
    '“Paid” is $12.00 more than “Paid from budget”: that is loyalty set aside on earlier days and released now, on top of the budget.';
  await expect.element(main().getByText(text)).toBeVisible();
  answerRun(run);
  open(run.id);
  await expect.element(main().getByText('Paid from budget')).toBeVisible();
  await expectNone(main().getByText(/more than “Paid from budget”/));
});

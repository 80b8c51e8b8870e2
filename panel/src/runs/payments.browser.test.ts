import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { answerRun, listedRun, runLine } from '#panel/testing/run-answers.ts';
import { expectNone, main } from '#panel/testing/screen.ts';

/* The payments of a run, explained. */
const run = listedRun();
const open = (id: string) => visitSignedIn(`/dashboard/runs/${id}`);

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

test('the fingerprint says what it proves', async () => {
  answerRun(run);
  open(run.id);
  await expect.element(main().getByText('Plan fingerprint')).toBeVisible();
  await expect
    .element(main().getByText(/^Proves that what is paid is exactly what was planned and approved/))
    .toBeVisible();
});

test('where loyalty was released the page says by how much the two paid amounts differ, and why', async () => {
  const released = listedRun({ releases: '12.00', paid: '68.555' });
  answerRun(released);
  open(released.id);
  const words =
    '“Paid” is $12.00 more than “Paid from budget”: that is loyalty set aside on earlier days and released now, on top of the budget.';
  await expect.element(main().getByText(words)).toBeVisible();
  answerRun(run);
  open(run.id);
  await expect.element(main().getByText('Paid from budget')).toBeVisible();
  await expectNone(main().getByText(/more than “Paid from budget”/));
});

import { countFailedWithdrawals } from 'contract/reports.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { visitSignedIn } from '#panel/testing/app.ts';
import { answerReports, withdrawalRow } from '#panel/testing/report-answers.ts';
import { expectNone, main } from '#panel/testing/screen.ts';
import { callsTo } from '#panel/testing/server.ts';

const link = () => main().getByRole('link', { name: 'View failed withdrawals' });

test('a report shows how many failed withdrawals it omits and links to them', async () => {
  answerReports({ rows: [withdrawalRow()], failed: 12 });
  visitSignedIn('/dashboard/reports');
  await expect.element(main().getByText('12 failed withdrawals are not in this report.')).toBeVisible();
  await expect.element(link()).toHaveAttribute('href', '/dashboard/manage-withdraw?status=Failed');
  await expectAccessible();
});

test('with filters the notice counts the matching failed withdrawals, whatever the status filter', async () => {
  answerReports({ rows: [], failed: 1 });
  visitSignedIn('/dashboard/reports?user=milan&date=2026-11-01&status=Failed');
  await expect
    .element(main().getByText('1 failed withdrawal matches these filters and is not in this report.'))
    .toBeVisible();
  await expect.element(link()).toHaveAttribute('href', '/dashboard/manage-withdraw?status=Failed&search=milan');
  const [counted] = callsTo(countFailedWithdrawals);
  expect(counted).toEqual({ querystring: { user: 'milan', date: '2026-11-01' } });
});

test('the notice is absent without failed withdrawals and in the other reports', async () => {
  answerReports({ rows: [withdrawalRow()], failed: 0 });
  visitSignedIn('/dashboard/reports');
  await expect.element(page.getByText('Showing 1 to 1 of 1 entries')).toBeVisible();
  await expectNone(link());
  answerReports({ rows: [withdrawalRow()], failed: 12 });
  await page.getByRole('tab', { name: 'Staking Reports' }).click();
  await expect.element(page.getByText('No results found.')).toBeVisible();
  await expectNone(link());
});

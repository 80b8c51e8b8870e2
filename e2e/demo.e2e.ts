import { expect, test } from './fixtures.ts';
import { heading, toast } from './page-helpers.ts';
import { openRun, rows, runsAddress, runsOf, state } from './run-page.ts';
import { onceOnly } from './tags.ts';

test(
  'a new user of the demo finds a month of runs, one of which was reversed and paid again',
  onceOnly,
  async ({ page }) => {
    await page.goto(runsAddress);
    await expect(heading(page, 'Runs')).toBeVisible();
    await expect(rows(page).first()).toBeVisible();
    const payouts = await runsOf(page, 'stake-payout');
    expect(payouts.filter((run) => run.reverses === null)).toHaveLength(31);
    const reversal = payouts.find((run) => run.reverses !== null);
    await openRun(page, reversal?.id ?? '');
    await expect(page.getByText('Paid with the shares of next month’s plan')).toBeVisible();
  },
);

test('a ticket leads to the payments of its author, and each explains its amount', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/tickets?search=higher+than+the+day+before');
  await rows(page).getByRole('link').first().click();
  const ticket = page.getByRole('dialog');
  await expect(ticket.locator('.ticket-thread').getByText('reversed and paid again')).toBeVisible();
  await ticket.locator('.ticket-link[href*="ledger"]').click();
  await rows(page).filter({ hasText: 'Stake reward' }).first().getByRole('link').first().click();
  await expect(page.getByRole('link', { name: /^Stake payout,/ })).toBeVisible();
});

test('the profile of a user without a rank explains why the stake bonus was not paid', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/users?search=jdoe88');
  await rows(page).getByRole('link', { name: 'View Profile' }).click();
  await page.getByRole('link', { name: 'Due and paid' }).click();
  const payout = rows(page).filter({ hasText: 'Stake bonus $0.10 not paid: no rank' }).first();
  await payout.getByRole('link', { name: /why, Stake payout/ }).click();
  const why = page.getByRole('dialog');
  await expect(why).toContainText(/Stake bonus\$0.10Not paid: no rank on \d+ \w+ \d{4}/);
  await expect(why).toContainText(/Set aside until the stake completes on/);
  await expect(why.getByRole('button', { name: 'Copy as text' })).toBeVisible();
  await page.goBack();
  await expect(payout).toBeVisible();
});

test('a request that waits for a second approver can be approved and is then paid', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/approvals');
  const [waiting] = (await runsOf(page, 'rank-bonus')).filter((run) => run.state === 'waiting');
  await page
    .getByRole('row', { name: /Run: Rank bonus/ })
    .getByRole('link')
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(toast(page, 'Approved')).toBeVisible();
  await openRun(page, waiting?.id ?? '');
  await expect(state(page)).toHaveText('Completed');
});

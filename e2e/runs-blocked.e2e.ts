import type { Page } from '@playwright/test';
import { treasuryOf } from '../server/src/core/ledger/lines.ts';
import { addStake, fillTreasury } from '../server/src/core/testing/stakes.ts';
import { takeAway } from '../server/src/core/testing/transfers.ts';
import { addUser } from '../server/src/core/testing/user.ts';
import type { Environment } from './environment.ts';
import { expect, test } from './fixtures.ts';
import { liftLimits, reopenPayout, setLimit, storeJob, withOwner } from './owner.ts';
import { freshName, toast } from './page-helpers.ts';
import { dialog, jobPage, openRun, press, rows, runsAddress, runsOf, state, reverseAll } from './run-page.ts';
import { onceOnly } from './tags.ts';

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
/** The worker polls every minute. */
const nextPoll = { timeout: 90_000, intervals: [1_000] };

const payout = { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };
const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' });
const onHold = (page: Page) => page.getByRole('alert').filter({ hasText: 'The schedule is on hold' });
const waiting = (page: Page) => page.locator('.calendar-entry').filter({ hasText: /Waiting.*behind/ });

async function approve(colleague: Page) {
  await colleague.goto('/dashboard/approvals?state=waiting');
  await rows(colleague).filter({ hasText: 'Run: Stake payout' }).getByRole('link').first().click();
  await dialog(colleague, 'Request').getByRole('button', { name: 'Approve', exact: true }).click();
  await expect(toast(colleague, 'Approved')).toBeVisible();
}

/** Takes all but this much out of the treasury. */
const leaveInTreasury = (environment: Environment, units: bigint) =>
  withOwner(environment, ({ database }) =>
    database.transaction().execute(async (tx) => {
      await takeAway(tx, { userId: null, units: (await treasuryOf(tx, 'USD')) - units });
    }),
  );

/** Returns how long to wait so that the day does not end during the test: a new day would wait for payment too. */
function msUntilTimeIsLeft() {
  const leftMs = dayMs - (Date.now() % dayMs);
  return leftMs < 300_000 ? leftMs : 0;
}

/** Returns the run that the schedule created for a day. */
const scheduledRun = async (page: Page, day: string) =>
  (await runsOf(page, 'stake-payout')).find(({ period, plannedBy }) => period === day && plannedBy === null);

test(
  'a refused payout is shown on the home page, in the calendar and on its job until it is planned again',
  onceOnly,
  async ({ page, visit, environment }) => {
    const firstMs = msUntilTimeIsLeft();
    test.setTimeout(400_000 + firstMs);
    await page.waitForTimeout(firstMs);
    await reverseAll(page, 'stake-payout');
    const [first, second] = [daysAgo(2), daysAgo(1)];
    await withOwner(environment, async ({ database }) => {
      const { id: userId } = await addUser(database, { userId: freshName('stander') });
      await addStake(database, { userId, units: 100_000_000n, placedOn: daysAgo(5) });
    });
    await reopenPayout(environment, first);
    await setLimit(environment, 'alone', 0);
    await setLimit(environment, 'schedule', 0);
    await storeJob(environment, 'stake-payout', payout);

    await expect.poll(async () => (await scheduledRun(page, first))?.state, nextPoll).toBe('planned');
    const { id = '' } = (await scheduledRun(page, first)) ?? {};
    await page.goto('/dashboard');
    await expect(attention(page).getByText(/^Stake payout on hold since .+: 1 day unpaid$/)).toBeVisible();
    await openRun(page, id);
    await press(page, 'Run');
    await dialog(page, 'Run').getByRole('button', { name: 'Request approval' }).click();
    await expect(state(page)).toHaveText('Waiting');
    await page.goto(jobPage('stake-payout'));
    await expect(onHold(page)).toContainText('waits for a second approver');
    await expect(onHold(page).getByRole('link', { name: 'View request' })).toBeVisible();
    await leaveInTreasury(environment, 0n);
    await approve(await visit({ as: 'kenji.sato', server: 'second' }));
    await liftLimits(environment);

    await expect(onHold(page)).toContainText('The treasury has');
    await expect(onHold(page)).toContainText('The schedule is on hold: 1 day unpaid.');
    await expect(onHold(page).getByRole('link', { name: 'Open the run' })).toHaveAttribute(
      'href',
      `${runsAddress}/${id}`,
    );
    await openRun(page, id);
    await expect(page.getByRole('alert').filter({ hasText: 'approved by kenji.sato' })).toBeVisible();
    await page.goto(`${runsAddress}/calendar?month=${second.slice(0, 7)}`);
    await expect(waiting(page).first()).toHaveAttribute('href', `${runsAddress}/${id}`);
    await page.goto('/dashboard');
    await attention(page)
      .getByRole('link', { name: /^Stake payout on hold since/ })
      .click();

    await withOwner(environment, ({ database }) => fillTreasury(database, 'USD', 10n ** 15n));
    await page.getByRole('button', { name: 'Plan again' }).click();
    await expect(state(page)).toHaveText('Planned');
    await press(page, 'Run');
    await dialog(page, 'Run').getByRole('button', { name: 'Run', exact: true }).click();
    await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect.poll(async () => (await scheduledRun(page, second))?.state, nextPoll).toBe('completed');
    await page.goto('/dashboard');
    await expect(attention(page).getByRole('link', { name: /^Stake payout in/ })).toBeVisible();
    await expect(attention(page).getByText('on hold')).toHaveCount(0);
    await page.goto(`${runsAddress}/calendar`);
    await expect(page.locator('.calendar-entry').first()).toBeVisible();
    await expect(waiting(page)).toHaveCount(0);
    await page.goto(jobPage('stake-payout'));
    await expect(page.getByRole('button', { name: 'Preview' })).toBeVisible();
    await expect(onHold(page)).toHaveCount(0);
    await storeJob(environment, 'stake-payout', { ...payout, enabled: false });
  },
);

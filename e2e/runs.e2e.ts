import type { Page } from '@playwright/test';
import type { RunKind } from '../contract/src/run-kinds.ts';
import { parseAmount, writeAmount } from '../contract/src/core/money.ts';
import { expect, test } from './fixtures.ts';
import type { Environment } from './environment.ts';
import { liftLimits, setLimit, storeJob } from './owner.ts';
import { fact } from './demo-users.ts';
import { callApi, heading, toast } from './page-helpers.ts';
import {
  answer,
  dialog,
  distribution,
  cancelAll,
  expectReversed,
  jobPage,
  openLineOf,
  openRun,
  plan,
  planReversal,
  press,
  readRun,
  rows,
  runIt,
  runsAddress,
  state,
  reverseAll,
} from './run-page.ts';
import { inGate, inGateOnce } from './tags.ts';

const idIn = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? '';
const figure = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
/** Formats an amount as on the screen. */
const inDollars = (units: bigint) => writeAmount(units, 'USD').replace(/\B(?=(\d{3})+\.)/g, ',');
const payout = { enabled: false, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };

/** Expects that the transfer from the treasury links to the run. */
async function expectFundingLeadsBack(page: Page, { id, day }: { id: string; day: string }) {
  await page.goto(`/dashboard/ledger?kind=funding&from=${day}&to=${day}`);
  await rows(page).first().getByRole('link').first().click();
  await dialog(page, 'Transfer').getByRole('link', { name: 'View run' }).click();
  await expect(page).toHaveURL(new RegExp(id));
}

async function resetJob(page: Page, environment: Environment, { job, settings }: { job: RunKind; settings: object }) {
  // First disable the job, or the schedule would immediately pay what is reversed here.
  await storeJob(environment, job, settings);
  await reverseAll(page, job);
}

test(
  'a stake payout is previewed, run, verified, explained, and reversed for one user and for all',
  inGate,
  async ({ page, environment }) => {
    test.setTimeout(150_000);
    await resetJob(page, environment, { job: 'stake-payout', settings: payout });
    await page.goto(jobPage('stake-payout'));
    await expect(page.getByRole('heading', { name: 'Next run' })).toBeVisible();
    const preview = page.getByRole('button', { name: 'Preview' });
    await page.getByLabel('Base reward').fill('40');
    await expect(preview).toHaveAccessibleDescription('Save the settings first. A preview uses the saved settings.');
    await page.getByLabel('Base reward').fill('50');
    await preview.click();

    await expect(page).toHaveURL(/\/dashboard\/runs\/[0-9a-f-]{36}$/);
    await expect(state(page)).toHaveText('Planned');
    const id = idIn(page);
    const { run, largest } = await readRun(page, id);
    const paid = parseAmount(run.pays, 'USD') + parseAmount(run.releases, 'USD');
    expect(paid).toBeGreaterThan(0n);
    const lines = String(run.lines - run.skipped);
    await expect(figure(page, 'Payments made')).toHaveText(`Payments made${lines}0`);
    await expect(page.getByText('Balanced', { exact: true })).toBeVisible();
    await expect(fact(page, 'Base reward')).toHaveText('50%');
    await press(page, 'Run');
    await expect(dialog(page, 'Run')).toContainText(`Pay $${inDollars(paid)} in`);
    await answer(page, 'Run', 'Run');
    await expect(toast(page, 'Run started')).toBeVisible();
    await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(figure(page, 'Payments made')).toHaveText(`Payments made${lines}${lines}`);
    const { progress } = await readRun(page, id);
    expect(parseAmount(progress.paid, 'USD')).toBe(paid);

    const [first] = largest;
    await openLineOf(page, first?.user.username);
    const why = dialog(page, 'Why this amount');
    await expect(why).toContainText('Stake reward');
    await expect(why).toContainText(`${first?.input} USD × ${(first?.rate ?? 0) / 10_000}% × 50%`);
    await why.getByRole('link', { name: `Ledger of ${first?.user.username}` }).click();
    await expect(heading(page, 'Ledger')).toBeVisible();
    await rows(page)
      .getByRole('link', { name: /Stake reward/ })
      .first()
      .click();
    const transfer = dialog(page, 'Transfer');
    await expect(transfer).toContainText('Why this amount');
    await transfer.getByRole('link', { name: /^Stake payout,/ }).click();
    await expect(page).toHaveURL(new RegExp(id));

    await expectFundingLeadsBack(page, run);

    await openLineOf(page, first?.user.username);
    await why.getByRole('button', { name: 'Reverse for this user' }).click();
    await expect(dialog(page, 'Reverse Run')).toContainText(`Reverse what this run paid to ${first?.user.username}?`);
    await planReversal(page, 'Paid to the wrong user.');
    await runIt(page);
    await openRun(page, id);
    await expect(state(page)).toHaveText('Partly reversed');
    await expect(page.getByRole('link', { name: 'Open the reversal' })).toHaveCount(0);
    await press(page, 'Reverse');
    await planReversal(page, 'The rate was wrong.');
    expect((await readRun(page, idIn(page))).run.reverses).toBe(id);
    await runIt(page);
    const reverse = page.getByRole('main').getByRole('button', { name: 'Reverse', exact: true });
    await expect(reverse).toHaveAccessibleDescription('A reversal cannot be reversed. Plan the period again instead.');
    await expectReversed(page, id);
  },
);

test(
  'a user who was blacklisted since the plan is skipped, and everyone else is paid',
  inGateOnce,
  async ({ page, environment }) => {
    await resetJob(page, environment, { job: 'gmp-distro', settings: distribution });
    const { id } = await plan(page, 'gmp-distro');
    const { largest } = await readRun(page, id);
    const user = largest.at(-1)?.user;
    const blacklist = (blacklisted: boolean) =>
      callApi(page, 'POST', {
        path: `/api/users/${user?.id}/blacklist`,
        body: { blacklisted, reason: 'Asked for by a test.' },
      });
    await openRun(page, id);
    expect((await blacklist(true)).status).toBe(200);
    await press(page, 'Run');
    await answer(page, 'Run', 'Run');
    await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(page.getByRole('alert').filter({ hasText: 'one payment was skipped' })).toContainText(
      'Planned 1,000.00 GMP, paid 9',
    );
    await expect(page.getByRole('row').filter({ hasText: 'Skipped since the plan' })).toBeVisible();
    await page.goto(`${runsAddress}/${id}?search=${user?.username}`);
    await expect(rows(page).getByText('Blacklisted since the plan')).toBeVisible();
    expect((await blacklist(false)).status).toBe(200);
  },
);

test(
  'above the limit a second approver approves the plan, and it is then paid',
  inGateOnce,
  async ({ page, visit, environment }) => {
    await setLimit(environment, 'alone', 1_000);
    await cancelAll(page, 'rank-bonus');
    await storeJob(environment, 'rank-bonus', { rank: 'Silver', bonusAmount: '300.00' });
    const { id } = await plan(page, 'rank-bonus');
    await openRun(page, id);
    await press(page, 'Run');
    await expect(dialog(page, 'Run')).toContainText('You can move $1,000.00 a day on your own');
    await answer(page, 'Run', 'Request approval');
    await expect(toast(page, 'Sent to a second approver')).toBeVisible();
    await expect(state(page)).toHaveText('Waiting');

    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    await colleague.goto('/dashboard/approvals?state=waiting');
    await rows(colleague).filter({ hasText: 'Run: Rank bonus' }).getByRole('link').first().click();
    await expect(fact(colleague, 'Item').getByRole('link')).toHaveAttribute('href', `${runsAddress}/${id}`);
    await answer(colleague, 'Request', 'Approve');
    await expect(toast(colleague, 'Approved')).toBeVisible();
    await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(fact(page, 'Approved by')).toHaveText('kenji.sato');
    await page.getByRole('link', { name: 'View request' }).click();
    await expect(fact(page, 'State')).toHaveText('Approved');
    await liftLimits(environment);
  },
);

test('a run is paused, resumed and cancelled, and says who did it', inGateOnce, async ({ page, environment }) => {
  await resetJob(page, environment, { job: 'gmp-distro', settings: distribution });
  const { id } = await plan(page, 'gmp-distro');
  // During maintenance, a started run waits before its next chunk.
  const maintenance = (active: boolean) => callApi(page, 'POST', { path: '/api/maintenance', body: { active } });
  expect((await maintenance(true)).status).toBe(200);
  try {
    await openRun(page, id);
    await press(page, 'Run');
    await answer(page, 'Run', 'Run');
    await expect(state(page)).toHaveText('Running');
    await expect(page.getByRole('progressbar', { name: 'Chunks that are paid' })).toBeVisible();
    await expect(
      page.getByText('The platform is under maintenance. The run continues when maintenance ends.'),
    ).toBeVisible();
    await press(page, 'Pause');
    await expect(state(page)).toHaveText('Paused');
    await expect(page.getByRole('alert').filter({ hasText: 'Paused by ines.moreau.' })).toBeVisible();
    await press(page, 'Resume');
    await expect(state(page)).toHaveText('Running');
    await page.getByRole('main').getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect(dialog(page, 'Cancel Run')).toContainText('No money has moved. You can preview the job again later.');
    await answer(page, 'Cancel Run', 'Cancel run');
    await expect(state(page)).toHaveText('Canceled');
    await expect(page.getByRole('alert').filter({ hasText: 'Canceled by ines.moreau.' })).toBeVisible();
    const reverse = page.getByRole('main').getByRole('button', { name: 'Reverse', exact: true });
    await expect(reverse).toHaveAccessibleDescription('This run paid nothing, so there is nothing to reverse.');
  } finally {
    await maintenance(false);
  }
});

import type { Page } from '@playwright/test';
import { parseAmount } from '../contract/src/core/money.ts';
import { expect, test } from './fixtures.ts';
import { storeJob } from './owner.ts';
import {
  answer,
  dialog,
  cancelAll,
  expectReversed,
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

const payout = { enabled: false, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };
const idIn = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? '';
const row = (page: Page, id: string) => rows(page).filter({ has: page.locator(`a[href="${runsAddress}/${id}"]`) });
const cell = (page: Page, id: string, amount: string) => row(page, id).getByText(amount, { exact: true });
const mark = (page: Page, id: string) => row(page, id).locator('.status');
/** Formats an amount as on the screen. */
const dollars = (amount: string) => `$${amount.replaceAll(/\B(?=(\d{3})+\.)/g, ',')}`;

async function payNextDay(page: Page) {
  const { id, period, pays } = await plan(page, 'stake-payout');
  expect(parseAmount(pays, 'USD')).toBeGreaterThan(0n);
  await openRun(page, id);
  await runIt(page);
  return { id, period, paid: (await readRun(page, id)).progress.paid };
}

test('a day is paid, reversed and paid again, and the Runs list explains it', async ({ page, environment }) => {
  test.setTimeout(150_000);
  await cancelAll(page, 'stake-payout');
  await storeJob(environment, 'stake-payout', payout);
  await reverseAll(page, 'stake-payout');
  const first = await payNextDay(page);
  const amount = dollars(first.paid);
  const net = (id: string) => readRun(page, id).then(({ period }) => period.net);
  const before = parseAmount(await net(first.id), 'USD');
  expect(before).toBeGreaterThan(0n);

  await press(page, 'Reverse');
  await planReversal(page, 'The rate was wrong.');
  const back = idIn(page);
  await expect(page.getByRole('row', { name: /^Reversed/ }).getByRole('cell')).toHaveText([`−${amount}`, '$0.00']);
  await press(page, 'Run');
  await expect(dialog(page, 'Run')).toContainText('A reversal cannot be reversed.');
  await expect(dialog(page, 'Run')).not.toContainText('can be reversed');
  await answer(page, 'Run', 'Run');
  await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
  expect(parseAmount(await net(back), 'USD')).toBe(before - parseAmount(first.paid, 'USD'));
  await expectReversed(page, first.id);
  const reverse = page.getByRole('main').getByRole('button', { name: 'Reverse', exact: true });
  await expect(reverse).toHaveAccessibleDescription('This run has already been fully reversed.');

  const again = await payNextDay(page);
  expect(again.period).toBe(first.period);
  expect(again.paid).toBe(first.paid);
  expect(parseAmount(await net(again.id), 'USD')).toBe(before);
  await expect(page.locator('.period-net')).toHaveText(`Net paid${dollars(await net(again.id))}`);

  await page.goto(`${runsAddress}?kind=stake-payout`);
  await expect(mark(page, again.id)).toHaveText('Completed');
  await expect(mark(page, again.id)).toHaveAttribute('data-tone', 'good');
  await expect(row(page, back)).toContainText('Reversal of stake payout');
  await expect(mark(page, back)).toHaveAttribute('data-tone', 'quiet');
  await expect(cell(page, back, `−${amount}`).first()).toBeVisible();
  await expect(mark(page, first.id)).toHaveText('Reversed');
  await expect(mark(page, first.id)).toHaveAttribute('data-tone', 'reversed');
  await expect(row(page, first.id).locator('s')).toHaveText(amount);
  await page.goto(`${runsAddress}?kind=stake-payout&state=reversed`);
  await expect(row(page, first.id)).toBeVisible();
  await expect(row(page, again.id)).toHaveCount(0);

  const [largest] = (await readRun(page, again.id)).largest;
  await openRun(page, again.id);
  await page.getByRole('searchbox', { name: 'Search user' }).fill(largest?.user.userId ?? '');
  await page.getByRole('searchbox', { name: 'Search amount' }).fill('>0');
  await expect(
    rows(page)
      .filter({ hasText: largest?.user.username ?? '' })
      .first(),
  ).toBeVisible();
  await expect(page.getByText(/^\d+ payments?$/)).toBeVisible();
  await reverseAll(page, 'stake-payout');
});

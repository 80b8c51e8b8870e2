import { promoteUser } from 'contract/users-ranks.ts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { answerJobs, installed } from '#panel/testing/job-answers.ts';
import { button, expectDisabledBecause, expectNone, heading } from '#panel/testing/screen.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { answer, callsTo, hold, refuse } from '#panel/testing/server.ts';
import { user } from '#panel/testing/user-answers.ts';
import { nextRuns } from 'contract/recurrence.ts';
import { saveGmpDistribution } from 'contract/jobs-gmp-distro.ts';
import { saveRankBonus } from 'contract/jobs-rank-bonus.ts';
import { saveReferralCheck } from 'contract/jobs-referral-check.ts';
import { saveStakePayout } from 'contract/jobs-stake-payout.ts';

const field = (label: string) => page.getByLabelText(label, { exact: true });
const alert = () => page.getByRole('alert');

async function openJob(job: string, title: string, as = adminWith(null)) {
  answerJobs(as);
  visitSignedIn(`/dashboard/settings/cronjobs/${job}`);
  await expect.element(heading(title)).toBeVisible();
}

test('shares must be 0 to 100 percent and at most 100 in total, and invalid ones are not sent', async () => {
  await openJob('stake-payout', 'Stake Payout Settings');
  const base = page.getByLabelText('Base reward');
  const rule = 'Enter a percentage from 0 to 100, with at most two decimals.';
  for (const [wrong, text] of [
    ['101', rule],
    ['-1', rule],
    ['', 'Enter a percentage.'],
    ['0.001', rule],
  ] as const) {
    await base.fill(wrong);
    await button('Save Settings').click();
    await expect.element(page.getByText(text, { exact: true })).toBeVisible();
    await expect.element(base).toHaveFocus();
  }
  await base.fill('50.01');
  await expect.element(page.getByText('100.01% of 100%')).toBeVisible();
  await expect.element(page.getByText('0.01% too much.')).toBeVisible();
  await button('Save Settings').click();
  await expect.element(page.getByText('Together the three may be at most 100 percent.')).toBeVisible();
  await expectNone(alert());
  expect(callsTo(saveStakePayout)).toEqual([]);
});

test('settings can be saved for a chosen day, and without one the server chooses', async () => {
  await openJob('stake-payout', 'Stake Payout Settings');
  answer(saveStakePayout, ({ body: { settings } }) => ({ ...installed, settings, version: 2, savedBy: 'ann' }));
  const day = page.getByLabelText('Takes effect on');
  await expect.element(page.getByText('Leave empty to apply from the next unpaid day.')).toBeVisible();
  await day.fill('2026-03-10');
  await expect.element(page.getByText('Days that are already paid change only if')).toBeVisible();
  await button('Save Settings').click();
  await expect.element(alert()).toBeVisible();
  await expect.element(day).toHaveValue('');
  await page.getByLabelText('Base reward').fill('40');
  await button('Save Settings').click();
  await expect
    .poll(() => callsTo(saveStakePayout).map(({ body }) => body.effectiveFrom))
    .toEqual(['2026-03-10', undefined]);
});

test('an invalid value of a distribution is reported at its field, and nothing is sent', async () => {
  await openJob('gmp-distro', 'GMP Distribution');
  for (const [label, right, wrong, text] of [
    ['Amount', '1000', '0', 'Enter an amount above 0, with at most 6 decimals.'],
    ['Amount', '1000', '1.0000001', 'Enter an amount above 0, with at most 6 decimals.'],
    ['Time', '06:00', '24:00', 'Enter a time from 00:00 to 23:59.'],
    ['UTC offset', '0', '14.25', 'Enter an offset from -12 to 14 in steps of 0.25.'],
    ['UTC offset', '0', '0.1', 'Enter an offset from -12 to 14 in steps of 0.25.'],
    ['Percentage', '10', '100.5', 'Enter a percentage from 0 to 100, with at most two decimals.'],
    ['Amount', '1000', '', 'Enter an amount.'],
    ['Time', '06:00', '', 'Enter a time.'],
    ['UTC offset', '0', '', 'Enter an offset.'],
    ['Percentage', '10', '', 'Enter a percentage.'],
  ] as const) {
    await field(label).fill(wrong);
    await button('Save Settings').click();
    await expect.element(page.getByText(text, { exact: true })).toBeVisible();
    await expect.element(field(label)).toHaveFocus();
    await field(label).fill(right);
    await expectNone(page.getByText(text, { exact: true }));
  }
  await expectNone(alert());
  expect(callsTo(saveGmpDistribution)).toEqual([]);
});

const formatTime = (run: Date, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: '2-digit',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(run);

test('the next five runs follow the input, in UTC and in the viewer’s time zone', async () => {
  // Set by the test configuration: a zone with a half-hour offset and no daylight saving time.
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  expect(timeZone).toMatch(/^Asia\/(Kolkata|Calcutta)$/);
  await openJob('gmp-distro', 'GMP Distribution');
  const headers = page.getByRole('columnheader');
  await expect.element(headers.nth(1)).toHaveTextContent(`Your time (${timeZone})`);
  await field('Frequency').selectOptions('Weekly');
  await field('Weekday').selectOptions('3');
  await field('Time').fill('23:30');
  await field('UTC offset').fill('5.75');
  const recurrence = { frequency: 'Weekly', weekday: 3, time: '23:30', utcOffset: 5.75 } as const;
  const expected = nextRuns(recurrence, new Date(), 5);
  expect(expected.map((run) => run.toISOString().slice(11, 16))).toEqual(Array.from({ length: 5 }, () => '17:45'));
  for (const [index, run] of expected.entries()) {
    const cells = page
      .getByRole('row')
      .nth(index + 1)
      .getByRole('cell');
    await expect.element(cells.nth(0)).toHaveTextContent(formatTime(run, 'UTC'));
    await expect.element(cells.nth(1)).toHaveTextContent(formatTime(run, timeZone));
  }
  await field('UTC offset').fill('15');
  await expect.element(page.getByText('Enter a time and an offset to see when it would run.')).toBeVisible();
  expect(callsTo(saveGmpDistribution)).toEqual([]);
});

for (const { job, title, send, labels } of [
  {
    job: 'referral-check',
    title: 'Referral Check',
    send: 'Run Check',
    labels: { 'Period in days': 'Enter a number of days.', Reward: 'Enter a percentage.' },
  },
  { job: 'rank-bonus', title: 'Rank Bonus', send: 'Save Rank Bonus', labels: { 'Bonus amount': 'Enter an amount.' } },
  {
    job: 'rank-promo',
    title: 'Rank Promotion',
    send: 'Save Thresholds',
    labels: {
      'Silver: direct referrals': 'Enter a number of referrals.',
      'Silver: team volume': 'Enter an amount.',
    },
  },
]) {
  test(`an empty field of ${title} is reported as missing, without its limits`, async () => {
    await openJob(job, title);
    for (const label of Object.keys(labels)) await page.getByLabelText(label, { exact: true }).fill('');
    await button(send).click();
    for (const text of Object.values(labels)) {
      await expect.element(page.getByText(text, { exact: true })).toBeVisible();
    }
  });
}

test('a promotion needs a user ID, a new rank that defaults to Silver, and a reason', async () => {
  await openJob('rank-promo', 'Rank Promotion');
  await expect.element(page.getByLabelText('User ID')).toHaveValue('');
  const rank = page.getByLabelText('New rank');
  await expect.element(rank).toHaveValue('Silver');
  const ranks = rank.getByRole('option').elements();
  expect(ranks.map(({ textContent }) => textContent)).toEqual(['Silver', 'Gold', 'Platinum']);
  await button('Promote User').click();
  await expect.element(page.getByText('Enter a user ID.')).toBeVisible();
  await expect.element(page.getByText('Enter a reason.', { exact: true })).toBeVisible();
  await expect.element(page.getByLabelText('User ID')).toHaveFocus();
  await page.getByLabelText('Reason').fill('ok');
  await expect.element(page.getByText('Give a reason of at least three characters.')).toBeVisible();
  expect(callsTo(promoteUser)).toEqual([]);
  await expectAccessible();
});

test('an unknown user and a rank that the user already holds are reported at their fields', async () => {
  await openJob('rank-promo', 'Rank Promotion');
  const userId = page.getByLabelText('User ID');
  await page.getByLabelText('Reason').fill('A good year.');
  await userId.fill('nobody-has-this');
  refuse(promoteUser, 'UserNotFound');
  await button('Promote User').click();
  await expect.element(page.getByText('User not found.')).toBeVisible();
  await expect.element(userId).toHaveAttribute('aria-invalid', 'true');
  refuse(promoteUser, 'RankUnchanged');
  await userId.fill('100007');
  await expectNone(page.getByText('User not found.'));
  await page.getByLabelText('New rank').selectOptions('Platinum');
  await button('Promote User').click();
  await expect.element(page.getByText('This user holds that rank already.')).toBeVisible();
  await expect.element(page.getByLabelText('New rank')).toHaveAttribute('aria-invalid', 'true');
});

test('the fields are disabled while a promotion is being saved', async () => {
  await openJob('rank-promo', 'Rank Promotion');
  answer(promoteUser, { user: user(), waiting: { approval: freshId(), facts: [], requestedBy: 'ines.moreau' } });
  await page.getByLabelText('User ID').fill('100007');
  await page.getByLabelText('Reason').fill('Held on its way');
  const release = hold(promoteUser);
  await userEvent.keyboard('{Enter}');
  for (const label of ['User ID', 'New rank', 'Reason']) {
    await expect.element(page.getByLabelText(label)).toBeDisabled();
  }
  release();
  await expect.element(alert()).toMatchTextContent('was sent to a second approver.');
  await expect.element(page.getByLabelText('Reason')).toHaveFocus();
});

for (const [job, title, save, saving] of [
  ['stake-payout', 'Stake Payout Settings', 'Save Settings', saveStakePayout],
  ['gmp-distro', 'GMP Distribution', 'Save Settings', saveGmpDistribution],
  ['referral-check', 'Referral Check', 'Run Check', saveReferralCheck],
  ['rank-bonus', 'Rank Bonus', 'Save Rank Bonus', saveRankBonus],
  ['rank-promo', 'Rank Promotion', 'Promote User', promoteUser],
] as const) {
  test(`an admin without permission to change ${job} sees disabled fields and the reason at the button`, async () => {
    await openJob(job, title, adminWith('Auditor'));
    await expectDisabledBecause(button(save), 'Your role does not allow this.');
    expect(document.querySelector('form input, form select')).toHaveProperty('disabled', true);
    await button(save).click({ force: true });
    expect(callsTo(saving)).toEqual([]);
  });
}

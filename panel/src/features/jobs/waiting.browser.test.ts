import type { ApprovalFact } from 'contract/approvals-facts.ts';
import { readRankBonus, saveRankBonus } from 'contract/jobs-rank-bonus.ts';
import { readRankThresholds, saveRankThresholds } from 'contract/jobs-rank-promotion.ts';
import { readReferralCheck, saveReferralCheck } from 'contract/jobs-referral-check.ts';
import { planRun } from 'contract/runs.ts';
import { readSchedule } from 'contract/runs-schedule.ts';
import { listRankMoves, promoteMovers, promoteUser } from 'contract/users-ranks.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { answerJobs, installed, thresholds } from '#panel/testing/job-answers.ts';
import { freshId, onePage } from '#panel/testing/list-answers.ts';
import { listedRun } from '#panel/testing/run-answers.ts';
import { button, dialog, expectNone, heading, main } from '#panel/testing/screen.ts';
import { answer, callsTo, emit } from '#panel/testing/server.ts';
import { user } from '#panel/testing/user-answers.ts';

const field = (label: string) => page.getByLabelText(label, { exact: true });
const notice = (text: string) => page.getByRole('alert').filter({ hasText: text });
const nothingChanged = 'Change requested. It takes effect when a second approver approves it.';

const waitingFor = (...facts: ApprovalFact[]) => ({ approval: freshId(), facts, requestedBy: 'ines.moreau' });

async function openJob(job: string, title: string) {
  visitSignedIn(`/dashboard/settings/cronjobs/${job}`);
  await expect.element(heading(title)).toBeVisible();
}

test('a changed rank bonus is requested, and the page shows what is in force and what is waiting', async () => {
  answerJobs(adminWith(null));
  const settings = { rank: 'Silver', bonusAmount: 10_000_000n } as const;
  const waiting = waitingFor(
    { key: 'job', value: 'rank-bonus' },
    { key: 'setting.bonusAmount', before: '10.00', value: '1250.50' },
    { key: 'setting.rank', before: 'Silver', value: 'Gold' },
  );
  answer(saveRankBonus, () => {
    answer(readRankBonus, { ...installed, settings, waiting });
    return { ...installed, settings, waiting };
  });
  await openJob('rank-bonus', 'Rank Bonus');
  await expectNone(page.getByText(/is not included/));
  await field('Rank').selectOptions('Gold');
  await field('Bonus amount').fill('1250.5');
  await button('Save Rank Bonus').click();
  await expect.element(notice(nothingChanged)).toBeVisible();
  await expectNone(notice('Saved as version'));
  await expect
    .element(notice('A change requested by ines.moreau is waiting'))
    .toMatchTextContent('Bonus amount: $10.00 → $1,250.50; Rank: Silver → Gold.');
  await expect.element(field('Rank')).toHaveValue('Silver');
  await expect.element(field('Bonus amount')).toHaveValue('10.00');
  await expect.element(main()).toMatchTextContent('The change that waits for a second approver is not included.');
});

test('changed thresholds are requested, and the card shows what is waiting until it is decided', async () => {
  answerJobs(adminWith(null));
  const waiting = waitingFor({ key: 'setting.Silver.volume', before: '1000.00', value: '2500.00' });
  answer(saveRankThresholds, () => {
    answer(readRankThresholds, { ...installed, settings: thresholds, waiting });
    return { ...installed, settings: thresholds, waiting };
  });
  await openJob('rank-promo', 'Rank Promotion');
  await field('Silver: team volume').fill('2500');
  await button('Save Thresholds').click();
  await expect.element(notice(nothingChanged)).toBeVisible();
  await expect
    .element(notice('A change requested by ines.moreau is waiting'))
    .toMatchTextContent('Silver: team volume: $1,000.00 → $2,500.00.');

  answer(readRankThresholds, { ...installed, settings: thresholds, version: 2, waiting: null });
  emit('jobs');
  await expectNone(page.getByRole('alert'));
});

test('Run Check with changed settings requests them and plans nothing', async () => {
  answerJobs(adminWith(null));
  const stored = { ...installed, settings: { period: 30, reward: 1_000 }, waiting: waitingFor() };
  answer(saveReferralCheck, () => {
    answer(readReferralCheck, stored);
    return stored;
  });
  answer(planRun, { run: listedRun({ kind: 'referral-check' }) });
  await openJob('referral-check', 'Referral Check');
  await field('Period in days').fill('7');
  await button('Run Check').click();
  await expect
    .element(notice(nothingChanged))
    .toMatchTextContent('The check was not planned. Press Run Check again after the approval.');
  expect(callsTo(saveReferralCheck)[0]?.body.settings.period).toBe(7);
  expect(callsTo(planRun)).toEqual([]);
});

test('Run Check with unchanged settings plans without saving, so that a waiting change stays', async () => {
  answerJobs(adminWith(null));
  answer(planRun, { run: listedRun({ kind: 'referral-check' }) });
  await openJob('referral-check', 'Referral Check');
  await field('Period in days').fill('030');
  await button('Run Check').click();
  await expect
    .element(page.getByRole('alert'))
    .toHaveTextContent(
      'Version 1: referrals of the last 30 days. The check is planned; nothing was paid. Review and run it under Next run.',
    );
  expect(callsTo(planRun).map(({ body }) => body)).toEqual([{ kind: 'referral-check' }]);
});

test('a promotion is sent to a second approver, and the form says for whom and which rank', async () => {
  answerJobs(adminWith(null));
  answer(promoteUser, { user: user({ username: 'mira.k', userId: '100007' }), waiting: waitingFor() });
  await openJob('rank-promo', 'Rank Promotion');
  await page.getByLabelText('User ID').fill('100007');
  await page.getByLabelText('New rank').selectOptions('Gold');
  await page.getByLabelText('Reason').fill('A good year.');
  await button('Promote User').click();
  await expect
    .element(page.getByRole('alert'))
    .toHaveTextContent('The promotion of mira.k (100007) to Gold was sent to a second approver.');
});

const move = (username: string) => ({
  id: freshId(),
  userId: username,
  username,
  from: 'none' as const,
  to: 'Silver' as const,
  referralCount: 9,
  totalTeamVolumeUSD: 0n,
  bonusPerDay: 0n,
});

async function promoteAll(answered: { requested: number; blacklisted: string[] }) {
  answerJobs(adminWith(null));
  const moves = [move('ada'), move('ben')];
  answer(listRankMoves, { moves, version: 1, ...onePage(moves) });
  answer(promoteMovers, {
    requested: answered.requested,
    stayed: answered.blacklisted.map((username) => ({ id: freshId(), username, why: 'blacklisted' as const })),
    waiting: answered.requested > 0 ? waitingFor() : null,
  });
  await openJob('rank-promo', 'Rank Promotion');
  await page.getByLabelText('Select all 2 on this page').click();
  await button('Promote these 2').click();
  await expect.element(dialog()).toMatchTextContent('Request the promotion of 2 users?');
  await expect.element(dialog()).toMatchTextContent('A second approver must approve it.');
  await dialog().getByRole('button', { name: 'Request approval' }).click();
}

test('eligible users are promoted by a request, and those who no longer qualify are named', async () => {
  await promoteAll({ requested: 1, blacklisted: ['ben'] });
  await expect.element(dialog()).toMatchTextContent('The promotion of 1 user was sent to a second approver.');
  await expect.element(dialog()).toMatchTextContent('1 user not changed:ben This user is blacklisted.');
});

test('no request is reported if none of the users qualifies any more', async () => {
  await promoteAll({ requested: 0, blacklisted: ['ada', 'ben'] });
  await expect.element(dialog()).toMatchTextContent('2 users not changed:');
  await expectNone(dialog().getByText(/sent to a second approver/));
});

test('the limit of scheduled runs is shown only for jobs that run on a schedule', async () => {
  answerJobs(adminWith(null));
  const due = { nextRun: null, limit: { amount: '10000.00', asset: 'USD' }, blockedSchedule: null } as const;
  answer(readSchedule, {
    schedule: [
      { job: 'stake-payout', enabled: true, ...due },
      { job: 'rank-bonus', enabled: false, ...due },
    ],
  });
  await openJob('stake-payout', 'Stake Payout Settings');
  await expect.element(main()).toMatchTextContent('Runs automatically up to$10,000.00');
  await openJob('rank-bonus', 'Rank Bonus');
  await expect.element(main()).toMatchTextContent('LatestNever run');
  await expectNone(page.getByText('$10,000.00'));
});

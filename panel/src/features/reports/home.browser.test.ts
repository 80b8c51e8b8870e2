import { countApprovals } from 'contract/approvals-count.ts';
import { readAnalytics } from 'contract/reports.ts';
import { listFailedRuns } from 'contract/runs-failed.ts';
import { readSchedule } from 'contract/runs-schedule.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answerFrame, answerMenuCounts, visitSignedIn } from '#panel/testing/app.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { answer, emit } from '#panel/testing/server.ts';

const tile = (name: RegExp) => page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name });

function answerHome() {
  answerFrame();
  answer(readSchedule, { schedule: [] });
  answer(listFailedRuns, { runs: [] });
  answer(readAnalytics, {
    registrations: [],
    actions: [],
    interactions: [],
    engagement: { percent: 0, active: 0, users: 0 },
  });
}

test('Home shows waiting approvals and failed runs as they change', async () => {
  answerHome();
  visitSignedIn('/dashboard');
  await expect.element(page.getByText("You're all caught up.")).toBeVisible();
  await expect.element(tile(/^Waiting approvals/)).toMatchTextContent('Waiting approvals0No request is waiting');
  await expect.element(tile(/^Failed runs/)).toMatchTextContent('Failed runs0No run has failed');
  answer(countApprovals, { waiting: 5, approvable: 3 });
  emit('approvals');
  await expect.element(tile(/^Waiting approvals/)).toMatchTextContent('53 for you to decide');
  await expect.element(tile(/^Waiting approvals/)).toHaveAttribute('href', '/dashboard/approvals?state=waiting');
  answer(listFailedRuns, {
    runs: [{ id: freshId(), kind: 'stake-payout', period: '2026-11-16', reverses: null }],
  });
  emit('runs');
  await expect.element(tile(/^Failed runs/)).toMatchTextContent('1Stake payout, 16 Nov 2026');
  await expect.element(tile(/^Failed runs/)).toHaveAttribute('href', '/dashboard/runs?state=failed');
  await expect.element(page.getByText('5 approvals and 1 failed run need attention.')).toBeVisible();
});

test('Home counts open tickets and pending withdrawals', async () => {
  answerHome();
  answerMenuCounts({ tickets: 24, withdrawals: 11, approvals: 0 });
  visitSignedIn('/dashboard');
  await expect.element(page.getByText('11 withdrawals and 24 tickets need attention.')).toBeVisible();
  await expect.element(tile(/^Open tickets/)).toMatchTextContent('24Awaiting first reply');
});

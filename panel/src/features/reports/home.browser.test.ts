import { type ListedApproval, listApprovals } from 'contract/approvals.ts';
import { countApprovals } from 'contract/approvals-count.ts';
import { readAnalytics } from 'contract/reports.ts';
import { listFailedRuns } from 'contract/runs-failed.ts';
import { readSchedule } from 'contract/runs-schedule.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { type Admin, adminWith, answerFrame, answerMenuCounts, visitSignedIn } from '#panel/testing/app.ts';
import { approval } from '#panel/testing/approval-answers.ts';
import { freshId, onePage } from '#panel/testing/list-answers.ts';
import { expectNone } from '#panel/testing/screen.ts';
import { answer, callsTo, emit } from '#panel/testing/server.ts';

const tile = (name: RegExp) => page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name });

const accountRequest = (account: string, requestedAt: string) =>
  approval({
    kind: 'account',
    userUuid: null,
    facts: [
      { key: 'administrator', value: account },
      { key: 'authority', value: 'created' },
    ],
    requestedBy: { id: freshId(), username: 'ann' },
    requestedAt: new Date(requestedAt),
  });

function answerHome(admin?: Admin) {
  answerFrame(admin);
  answerRequests([]);
  answer(readSchedule, { schedule: [] });
  answer(listFailedRuns, { runs: [] });
  answer(readAnalytics, {
    registrations: [],
    actions: [],
    interactions: [],
    engagement: { percent: 0, active: 0, users: 0 },
  });
}

function answerRequests(approvals: ListedApproval[]) {
  answer(listApprovals, { approvals, ...onePage(approvals), aloneAfterSeconds: null });
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

const notice = (account: string) => tile(new RegExp(`^${account} was given the right to approve`));

test('every administrator sees on Home who was given the right to approve, with a link to the request', async () => {
  answerHome(adminWith('Support'));
  answerMenuCounts({ tickets: 0, withdrawals: 0, approvals: 0 });
  visitSignedIn('/dashboard');
  await expect.element(tile(/^Waiting approvals/)).toBeVisible();
  expect(callsTo(listApprovals)).toEqual([]);

  const [eve, ravi] = [accountRequest('eve', '2026-11-18T10:00:00Z'), accountRequest('ravi', '2026-11-19T23:30:00Z')];
  answerRequests([approval(), eve, ravi]);
  answer(countApprovals, { waiting: 3, approvable: 0 });
  emit('approvals');
  await expect
    .element(notice('eve'))
    .toHaveTextContent(
      'eve was given the right to approve by ann. It takes effect on 21 Nov 2026, 10:00 UTC unless an approver denies it.',
    );
  await expect.element(notice('eve')).toHaveAttribute('href', `/dashboard/approvals?approval=${eve.id}`);
  await expect.element(notice('ravi')).toMatchTextContent('It takes effect on 22 Nov 2026, 23:30 UTC');
  expect(callsTo(listApprovals)[0]?.querystring).toMatchObject({ state: 'waiting' });

  await expectAccessible();

  answerRequests([approval(), ravi]);
  emit('approvals');
  await expectNone(notice('eve'));
  await expect.element(notice('ravi')).toBeVisible();
});

test('other waiting requests cannot push the notice about an account off the page', async () => {
  answerHome();
  const eve = accountRequest('eve', '2026-11-18T10:00:00Z');
  answer(listApprovals, ({ querystring: { cursor } }) => {
    const approvals = cursor === undefined ? [approval()] : [eve];
    const page = { ...onePage(approvals), nextCursor: cursor === undefined ? 'older' : null };
    return { approvals, ...page, aloneAfterSeconds: null };
  });
  answer(countApprovals, { waiting: 101, approvable: 0 });
  visitSignedIn('/dashboard');
  await expect.element(notice('eve')).toBeVisible();
});

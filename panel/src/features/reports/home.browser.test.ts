import { listApprovals } from 'contract/approvals.ts';
import { countApprovals } from 'contract/approvals-count.ts';
import { listPausedWebhooks } from 'contract/integrations-paused.ts';
import { readVerification } from 'contract/ledger-verification.ts';
import { listFailedRuns } from 'contract/runs-failed.ts';
import { readActivity } from 'contract/runs-activity.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, answerMenuCounts, visitSignedIn } from '#panel/testing/app.ts';
import { approval } from '#panel/testing/approval-answers.ts';
import { answerHome, answerRequests, minutesAgo, tile, verification } from '#panel/testing/home-answers.ts';
import { freshId, onePage } from '#panel/testing/list-answers.ts';
import { expectNone } from '#panel/testing/screen.ts';
import { answer, callsTo, emit } from '#panel/testing/server.ts';

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

test('Home says that no worker is running', async () => {
  answerHome();
  answer(readActivity, { workers: 0, stalled: [] });
  visitSignedIn('/dashboard');
  await expect
    .element(page.getByText('No worker is running. Payouts, schedules and exports are waiting.'))
    .toBeVisible();
  await expectNone(page.getByText("You're all caught up."));
  await expectAccessible();
});

test('Home links to a stalled run, with the reason', async () => {
  answerHome();
  const id = freshId();
  const since = new Date(Date.now() - 7 * 60_000);
  answer(readActivity, {
    workers: 2,
    stalled: [
      { id, kind: 'stake-payout', period: '2026-11-16', reverses: null, since, why: { code: 'disk-full', params: {} } },
    ],
  });
  visitSignedIn('/dashboard');
  const stalled = tile(/^Stake payout, 16 Nov 2026 has stalled/);
  await expect.element(stalled).toMatchTextContent("Last progress 7 min ago. The database's disk is full.");
  await expect.element(page.getByText('1 stalled run needs attention.')).toBeVisible();
  await expect.element(stalled).toHaveAttribute('href', `/dashboard/runs/${id}`);
  await expectAccessible();
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

test('Home says that the books balance and when they were verified', async () => {
  answerHome(adminWith('Support'));
  const passed = verification('incremental', minutesAgo(4.5));
  answer(readVerification, { passed, lastFullAt: minutesAgo(9 * 60 + 5), failed: null });
  visitSignedIn('/dashboard');
  await expect.element(page.getByText('Books balanced')).toBeVisible();
  const line = page.getByText('verified 4 min ago, 0 differences');
  await expect
    .element(line)
    .toHaveTextContent('Books balanced, verified 4 min ago, 0 differencesVerified in full 9 h ago');
  await expectAccessible();
});

test('Home says that the books were never verified, and that a verification is overdue', async () => {
  answerHome();
  answer(readVerification, { passed: null, lastFullAt: null, failed: null });
  visitSignedIn('/dashboard');
  await expect.element(page.getByText('The books have not been verified yet')).toBeVisible();
  answer(readVerification, {
    passed: verification('incremental', minutesAgo(61)),
    lastFullAt: minutesAgo(61),
    failed: null,
  });
  emit('ledger');
  await expect.element(page.getByText('Ledger verification is overdue')).toBeVisible();
  await expect.element(page.getByText('Last completed 1 h ago. Check that a worker is running.')).toBeVisible();
  await expectNone(page.getByText('Books balanced'));
});

test('Home alerts that the books differ, with what and where, until a verification passes', async () => {
  answerHome();
  visitSignedIn('/dashboard');
  await expect.element(page.getByText('Books balanced')).toBeVisible();
  const failed = verification('full', minutesAgo(2.5), [
    { code: 'paid-twice', params: { count: 7, where: ['2026-11-15 gmp 0198c0de-0000-7000-8000-000000000009'] } },
    { code: 'asset-sum', params: { count: 1, where: ['USD'] } },
  ]);
  answer(readVerification, {
    passed: verification('incremental', minutesAgo(1.5)),
    lastFullAt: minutesAgo(1500),
    failed,
  });
  emit('ledger');
  const alert = page.getByRole('alert');
  await expect.element(alert).toMatchTextContent('Books do not balance: 8 differences');
  await expect.element(alert).toMatchTextContent('Found by the full verification 2 min ago. Last passed 1 min ago.');
  await expect
    .element(alert)
    .toMatchTextContent('A payment was posted twice: 2026-11-15 gmp 0198c0de-0000-7000-8000-000000000009, and 6 more');
  await expect.element(alert).toMatchTextContent('The accounts of an asset do not add up to zero: USD');
  await expect.element(alert).toMatchTextContent('npx bursar ledger verify --full');
  await expectNone(page.getByText('Books balanced'));
  await expectAccessible();
  answer(readVerification, { passed: verification('full', minutesAgo(0)), lastFullAt: minutesAgo(0), failed: null });
  emit('ledger');
  await expect.element(page.getByText('Books balanced')).toBeVisible();
  await expectNone(alert);
});

test('a webhook that was paused because it failed for a day is announced, and leads to the webhook', async () => {
  answerHome();
  const id = freshId();
  answer(listPausedWebhooks, { webhooks: [{ id, url: 'https://platform.example.com/hook' }] });
  visitSignedIn('/dashboard');
  const notice = tile(/Webhook paused: every delivery to platform\.example\.com failed for 24 hours\./);
  await expect.element(notice).toHaveAttribute('href', `/dashboard/integrations?webhook=${id}`);
  answer(listPausedWebhooks, { webhooks: [] });
  emit('integrations', id);
  await expectNone(notice);
});

test('an administrator who must not read webhooks does not ask for them', async () => {
  answerHome(adminWith(null));
  visitSignedIn('/dashboard');
  await expect.element(tile(/Pending withdrawals/)).toBeVisible();
  expect(callsTo(listPausedWebhooks)).toEqual([]);
});

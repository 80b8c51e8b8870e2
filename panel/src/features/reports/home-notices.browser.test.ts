import { listRecoveries } from 'contract/admins-recovery.ts';
import { readAuditVerification } from 'contract/audit-verification.ts';
import { listOpenedKeys } from 'contract/users-opened-keys.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { answerHome, minutesAgo, tile } from '#panel/testing/home-answers.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { expectNone } from '#panel/testing/screen.ts';
import { answer, callsTo } from '#panel/testing/server.ts';

const openedKey = (username: string) => ({
  id: freshId(),
  user: { id: freshId(), userId: '100007', username },
  reason: 'A court order',
  openedBy: 'ines.moreau',
  approvedBy: 'tomasz.lind',
  openedAt: minutesAgo(4),
});

test('every Super Admin sees who opened whose private key, when, why and with whose approval', async () => {
  answerHome();
  const newest = openedKey('milancosta');
  answer(listOpenedKeys, { opened: [newest, openedKey('noor'), openedKey('ravi'), openedKey('mira.k')] });
  visitSignedIn('/dashboard');
  await expect
    .element(page.getByText('ines.moreau opened the private key of milancosta 4 min ago.'))
    .toMatchTextContent('Reason: A court order. Approved by tomasz.lind.');
  await expect.element(tile(/^milancosta$/)).toHaveAttribute('href', `/dashboard/user-profile/${newest.user.id}`);
  await expectNone(tile(/^mira\.k$/));
  await page.getByRole('button', { name: 'Show all 4 of the last 30 days' }).click();
  await expect.element(tile(/^mira\.k$/)).toBeVisible();
  await expectAccessible();
});

test('an administrator who is no Super Admin does not ask for opened keys', async () => {
  answerHome(adminWith(null));
  visitSignedIn('/dashboard');
  await expect.element(tile(/Pending withdrawals/)).toBeVisible();
  expect(callsTo(listOpenedKeys)).toEqual([]);
});

const verified = (endedAt: Date) => ({
  id: freshId(),
  requestedBy: null,
  state: 'done' as const,
  rowsDone: 12,
  rowsTotal: 12,
  findings: [],
  createdAt: endedAt,
  endedAt,
});

test('Home warns of an audit log that no worker has verified since yesterday', async () => {
  answerHome();
  const publishedAt = minutesAgo(1);
  answer(readAuditVerification, { current: null, last: verified(minutesAgo(25 * 60)), heads: null, publishedAt });
  visitSignedIn('/dashboard');
  await expect.element(tile(/Pending withdrawals/)).toBeVisible();
  await expectNone(tile(/^The audit log/));
  answer(readAuditVerification, { current: null, last: verified(minutesAgo(48 * 60)), heads: null, publishedAt });
  visitSignedIn('/dashboard');
  await expect
    .element(tile(/^The audit log was last verified .+ Check that a worker is running\.$/))
    .toHaveAttribute('href', '/dashboard/audit');
});

test('Home warns of an audit log that is not sound, and of heads that are no longer published', async () => {
  answerHome();
  const since = minutesAgo(12);
  answer(readAuditVerification, {
    current: null,
    last: { ...verified(since), findings: [{ code: 'row-missing', where: ['3'], count: 1, since: null }] },
    heads: { code: 'publisher-stopped', where: [], count: 0, since },
    publishedAt: since,
  });
  visitSignedIn('/dashboard');
  await expect.element(tile(/^The audit log has problems\./)).toBeVisible();
  await expect
    .element(tile(/The newest is from 12 min ago\. Check that a worker is running\.$/))
    .toHaveAttribute('href', '/dashboard/audit');
});

test('every Super Admin sees on Home who was recovered, and by whom', async () => {
  answerHome();
  const admin = { id: freshId(), username: 'kenji.sato' };
  const recoveredAt = new Date('2026-11-17T10:05:00Z');
  answer(listRecoveries, {
    recoveries: [
      { id: freshId(), admin, reason: 'Lost the phone.', requestedBy: 'ann', approvedBy: 'bea', recoveredAt },
      { id: freshId(), admin, reason: null, requestedBy: null, approvedBy: null, recoveredAt },
      { id: freshId(), admin, reason: 'Forgot it', requestedBy: 'ann', approvedBy: 'bea', recoveredAt: null },
    ],
  });
  visitSignedIn('/dashboard');
  const notice = tile(/^kenji.sato was recovered by ann and bea on 17 Nov 2026, 10:05 UTC. Reason: Lost the phone.$/);
  await expect.element(notice).toHaveAttribute('href', `/dashboard/admin-profile/${admin.id}`);
  await expect
    .element(tile(/was recovered on the command line of the server on 17 Nov 2026, 10:05 UTC.$/))
    .toBeVisible();
  await expect.element(tile(/^bea approved the recovery of kenji.sato, requested by ann: Forgot it$/)).toBeVisible();
});

test('an Admin sees no recoveries', async () => {
  answerHome(adminWith(null));
  visitSignedIn('/dashboard');
  await expect.element(tile(/^Waiting approvals/)).toBeVisible();
  expect(callsTo(listRecoveries)).toEqual([]);
});

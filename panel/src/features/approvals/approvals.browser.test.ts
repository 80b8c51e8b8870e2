import { readApproval } from 'contract/approvals.ts';
import { listWithdrawals, readWithdrawal } from 'contract/withdrawals.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { signedInId, visitSignedIn } from '#panel/testing/app.ts';
import { answerApprovals, approval } from '#panel/testing/approval-answers.ts';
import { dialog, expectDisabledBecause } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, fault } from '#panel/testing/server.ts';

const address = '/dashboard/approvals';
const row = (name: string) => page.getByRole('row').filter({ hasText: name });

test('the list formats amounts like other pages and shows the risk signals of a withdrawal', async () => {
  const adjustment = approval({
    kind: 'adjustment',
    facts: [
      { key: 'user', value: 'tara' },
      { key: 'adjustment', value: '40 SHARE' },
      { key: 'reason', value: 'Promised.' },
    ],
  });
  const requests = [approval({ signals: ['shared wallet'] }), adjustment];
  answerApprovals(() => requests);
  visitSignedIn(address);
  await expect.element(row('milancosta')).toMatchTextContent('$1,234.50');
  await expect.element(row('milancosta')).toMatchTextContent('shared wallet');
  await expect.element(row('tara')).toMatchTextContent('+40shares');
  await expect.element(page.getByText('2 waiting, 2 for you to decide')).toBeVisible();
});

test('a withdrawal request shows the risk signals, balance and history that the requester saw', async () => {
  const request = approval();
  answerApprovals(() => [request]);
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog()).toMatchTextContent('Amount$1,234.50');
  const wallet = dialog().getByRole('region', { name: 'Requested change' }).getByRole('button');
  await expect.element(wallet).toHaveAttribute('title', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU');
  await expect.element(wallet).toMatchTextContent('7xKXtg…gAsU');
  const requestedAt = 'time[datetime="2026-11-01T10:00:00.000Z"]';
  expect(dialog().element().querySelector(requestedAt)?.textContent).toMatch(/^1 Nov|ago$/);
  await expect.element(dialog()).toMatchTextContent('Another user has this wallet');
  await expect.element(dialog()).toMatchTextContent('Balance$2,000.00');
  await expect.element(dialog()).toMatchTextContent('Available$416.72');
  await expect.element(dialog()).toMatchTextContent('Total withdrawn$77.00');
  await expect.element(dialog().getByRole('listitem').filter({ hasText: 'Completed' })).toMatchTextContent('$77.00');
  expect(callsTo(readWithdrawal)[0]?.params.id).toBe(request.subject);
  expect(callsTo(listWithdrawals)[0]?.querystring).toMatchObject({ limit: 6 });
});

test('a request stays visible when its withdrawal cannot be loaded', async () => {
  const request = approval();
  answerApprovals(() => [request]);
  fault(readWithdrawal);
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog()).toMatchTextContent('Failed to fetch the withdrawal');
  await expect.element(dialog()).toMatchTextContent('Amount$1,234.50');
});

test('a single administrator can approve their own request when the waiting period ends', async () => {
  const request = approval({ requestedBy: { id: signedInId, username: 'ines.moreau' }, mayApprove: false });
  answerApprovals(() => [request]);
  answer(readApproval, { approval: request, aloneAfterSeconds: 60, deciders: [] });
  visitSignedIn(`${address}?approval=${request.id}`);
  await expect.element(dialog().getByRole('button', { name: 'Approve' })).not.toHaveAttribute('aria-disabled', 'true');
});

test('a risk signal caused by a change of the user appears in the list of requests', async () => {
  const request = approval();
  answerApprovals(() => [request]);
  visitSignedIn(address);
  await expect.element(row('milancosta')).toBeVisible();
  request.signals = ['sponsor blacklisted'];
  emit('users');
  await expect.element(row('milancosta')).toMatchTextContent('sponsor blacklisted');
});

test('an administrator whose account is newer than a request sees why they cannot approve it', async () => {
  const request = approval({ mayApprove: false });
  answerApprovals(() => [request]);
  visitSignedIn(`${address}?approval=${request.id}`);
  await expectDisabledBecause(
    dialog().getByRole('button', { name: 'Approve' }),
    'Your account is newer than this request, so another administrator must decide.',
  );
});

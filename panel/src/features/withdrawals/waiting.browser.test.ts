import { listWithdrawals } from 'contract/withdrawals.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { button, dialog, expectDisabledBecause } from '#panel/testing/screen.ts';
import { callsTo } from '#panel/testing/server.ts';
import { answerWithdrawals, withdrawal } from '#panel/testing/withdrawal-answers.ts';

const address = '/dashboard/manage-withdraw';
const row = (user: string) => page.getByRole('row').filter({ hasText: user });
const waiting = withdrawal({
  user: 'waits.here',
  preparedBy: 'kenji.sato',
  waitsUntil: new Date(Date.now() + 3_600_000),
  waitingApproval: '0198c0de-0000-7000-8000-00000000aaaa',
});

test('a withdrawal that waits for a second approver is marked in the list', async () => {
  answerWithdrawals([waiting, withdrawal({ user: 'untouched' })]);
  visitSignedIn(address);
  await expect.element(row('waits.here')).toMatchTextContent('PendingSecond approver');
  await expect.element(row('untouched')).toMatchTextContent('Pending');
  expect(row('untouched').getByText('Second approver').elements()).toHaveLength(0);
});

test('the list can be filtered by withdrawals that wait for a second approver', async () => {
  answerWithdrawals([waiting]);
  visitSignedIn(address);
  await button('Filter').click();
  await page.getByRole('menuitemradio', { name: 'Waiting for second approver' }).click();
  await expect.poll(() => callsTo(listWithdrawals).at(-1)?.querystring).toMatchObject({ approval: 'waiting' });
  expect(new URLSearchParams(window.location.search).get('approval')).toBe('waiting');
  await expect.element(button('Remove filter Approval: Waiting for second approver')).toBeVisible();
});

test('the detail view names who requested the approval and links to the request', async () => {
  answerWithdrawals([waiting]);
  visitSignedIn(`${address}?withdrawal=${waiting.id}`);
  await expect.element(dialog()).toMatchTextContent('ApprovalWaiting for second approver');
  await expect.element(dialog()).toMatchTextContent('kenji.sato requested a second approval.');
  await expect
    .element(dialog().getByRole('link', { name: 'View request' }))
    .toHaveAttribute('href', `/dashboard/approvals?approval=${waiting.waitingApproval}`);
  await expectDisabledBecause(
    dialog().getByRole('button', { name: 'Approve' }),
    'This withdrawal is already waiting for a second approver.',
  );
});

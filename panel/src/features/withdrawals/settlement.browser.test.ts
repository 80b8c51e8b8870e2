import { listWithdrawals } from 'contract/withdrawals.ts';
import { requestWithdrawalSettings, settleWithdrawal } from 'contract/withdrawals-settlement.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { button, dialog, expectDisabledBecause, expectNone, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, refuse } from '#panel/testing/server.ts';
import {
  answerWithdrawals,
  openWithdrawal,
  withdrawal,
  withdrawalSettings,
} from '#panel/testing/withdrawal-answers.ts';
import { longAgo } from '#panel/testing/list-answers.ts';

const address = '/dashboard/manage-withdraw';
const row = (user: string) => page.getByRole('row').filter({ hasText: user });
const overlay = (name: string) => page.getByRole('dialog', { name, exact: true });
const sent = openWithdrawal({
  user: 'on.its.way',
  state: 'sent',
  reference: '5sig',
  sentAt: longAgo,
  sentBy: 'kenji.sato',
  sentSource: 'administrator',
});
const unsent = openWithdrawal({ user: 'not.sent' });
const lost = openWithdrawal({
  user: 'lost.track',
  state: 'unknown',
  unknownAt: longAgo,
  unknownSource: 'clock',
  mode: 'platform',
});

test('the settlement shows what is not sent, and the other groups by their link', async () => {
  answerWithdrawals([unsent, sent, lost, withdrawal({ user: 'new.one' })]);
  visitSignedIn(`${address}?section=settlement`);
  await expect.element(row('not.sent')).toMatchTextContent('Administrators');
  await expectNone(row('new.one'));
  const groups = page.getByRole('navigation', { name: 'Settlement' });
  await expect.element(groups).toMatchTextContent('Approved, not sent');
  await expect.element(groups.getByRole('link', { name: /^Approved, not sent/ })).toHaveAttribute('aria-current');
  const sections = page.getByRole('navigation', { name: 'Withdrawals' });
  await expect.element(sections.getByRole('link', { name: 'Settlement' })).toHaveAttribute('aria-current', 'page');
  await expect.element(sections.getByRole('link', { name: 'History' })).not.toHaveAttribute('aria-current');
  await groups.getByRole('link', { name: 'Unknown' }).click();
  await expect.element(row('lost.track')).toMatchTextContent('PendingUnknown');
  await expect.element(row('lost.track')).toMatchTextContent('The platform');
  expect(new URLSearchParams(window.location.search).get('open')).toBe('unknown');
  expect(callsTo(listWithdrawals).at(-1)?.querystring).toMatchObject({ open: 'unknown', sort: 'date' });
});

test('the history marks what is approved, and offers only requested withdrawals for a decision', async () => {
  answerWithdrawals([unsent, withdrawal({ user: 'new.one' })]);
  visitSignedIn(address);
  await expect.element(row('not.sent')).toMatchTextContent('PendingNot sent yet');
  await expect.element(row('new.one').getByRole('checkbox')).toBeEnabled();
  await expectNone(row('not.sent').getByRole('checkbox'));
});

test('marking as sent requires the reference, and sends it', async () => {
  answerWithdrawals([unsent]);
  answer(settleWithdrawal, ({ body }) => ({
    withdrawal: { ...unsent, state: 'sent' as const, reference: body.reference ?? null },
  }));
  visitSignedIn(`${address}?section=settlement&withdrawal=${unsent.id}`);
  await dialog().getByRole('button', { name: 'Mark as sent' }).click();
  const form = overlay('Mark as Sent');
  await form.getByRole('button', { name: 'Mark as sent' }).click();
  await expect.element(form).toMatchTextContent('Enter the transaction reference.');
  expect(callsTo(settleWithdrawal)).toHaveLength(0);
  await form.getByLabelText('Transaction reference').fill('tx-9');
  await form.getByRole('button', { name: 'Mark as sent' }).click();
  await expect.element(toast('Recorded as sent')).toBeVisible();
  expect(callsTo(settleWithdrawal)).toEqual([
    { params: { id: unsent.id }, body: { outcome: 'sent', reference: 'tx-9' } },
  ]);
});

test('a failure says whether it needs a second approver', async () => {
  answerWithdrawals([unsent, sent]);
  visitSignedIn(`${address}?withdrawal=${sent.id}`);
  await dialog().getByRole('button', { name: 'Report failure' }).click();
  await expect.element(overlay('Report Failure')).toMatchTextContent('this goes to a second approver');
  visitSignedIn(`${address}?withdrawal=${unsent.id}`);
  await dialog().getByRole('button', { name: 'Report failure' }).click();
  await expect.element(overlay('Report Failure')).toMatchTextContent('The withdrawal was never sent');
});

test('a waiting failure is shown with its reason, and cannot be reported twice', async () => {
  const waiting = {
    ...sent,
    reason: 'It bounced.',
    failureRequestedBy: 'kenji.sato',
    waitsUntil: new Date(Date.now() + 3_600_000),
    waitingApproval: '0198c0de-0000-7000-8000-00000000aaaa',
  };
  answerWithdrawals([waiting]);
  visitSignedIn(`${address}?withdrawal=${waiting.id}`);
  await expect.element(dialog()).toMatchTextContent('kenji.sato reported that it failed: “It bounced.”');
  await expectDisabledBecause(
    dialog().getByRole('button', { name: 'Report failure' }),
    'The failure of this withdrawal is already waiting for a second approver.',
  );
});

test('an unknown withdrawal offers no way to send it again', async () => {
  answerWithdrawals([lost]);
  visitSignedIn(`${address}?withdrawal=${lost.id}`);
  await expect.element(dialog().getByRole('button', { name: 'Confirm' })).toBeVisible();
  await expect.element(dialog().getByRole('button', { name: 'Report failure' })).toBeVisible();
  await expectNone(dialog().getByRole('button', { name: 'Mark as sent' }));
});

test('a withdrawal shows the ID of the platform, and the history lists its states with who and when', async () => {
  const done = {
    ...sent,
    platformId: 'payout-88',
    state: 'confirmed' as const,
    status: 'Completed' as const,
    settledAt: longAgo,
    settledSource: 'platform' as const,
  };
  answerWithdrawals([done]);
  visitSignedIn(`${address}?withdrawal=${done.id}`);
  await expect.element(dialog()).toMatchTextContent('Platform IDpayout-88');
  const entries = dialog().getByRole('listitem');
  await expect.element(entries.nth(0)).toMatchTextContent('Requestedon.its.way');
  await expect.element(entries.nth(1)).toMatchTextContent('Approvedines.moreau');
  await expect.element(entries.nth(2)).toMatchTextContent('Sentkenji.sato');
  await expect.element(entries.nth(3)).toMatchTextContent('CompletedThe platform');
});

test('another sender is requested, and an admin without permission cannot', async () => {
  answerWithdrawals([]);
  answer(requestWithdrawalSettings, { settings: withdrawalSettings });
  visitSignedIn(`${address}?section=settlement`);
  await expectDisabledBecause(button('Request change'), 'Nothing has changed yet.');
  await page.getByRole('radio', { name: 'The platform sends' }).click();
  await button('Request change').click();
  await expect.element(toast('Change requested. It takes effect when a second approver approves it.')).toBeVisible();
  expect(callsTo(requestWithdrawalSettings)).toEqual([
    { body: { mode: 'platform', unknownAfterHours: 24, version: 1 } },
  ]);
  answerWithdrawals([unsent], adminWith('Support'));
  visitSignedIn(`${address}?section=settlement&withdrawal=${unsent.id}`);
  await expectDisabledBecause(dialog().getByRole('button', { name: 'Mark as sent' }), 'Your role does not allow this.');
});

test('a refused outcome is reported and leaves the form open', async () => {
  answerWithdrawals([unsent]);
  refuse(settleWithdrawal, 'ReferenceTaken');
  visitSignedIn(`${address}?withdrawal=${unsent.id}`);
  await dialog().getByRole('button', { name: 'Confirm' }).click();
  const form = overlay('Confirm Withdrawal');
  await form.getByLabelText('Transaction reference').fill('taken');
  await form.getByRole('button', { name: 'Confirm' }).click();
  await expect.element(page.getByText('Another withdrawal has this reference.')).toBeVisible();
  await expect.element(form.getByLabelText('Transaction reference')).toHaveValue('taken');
});

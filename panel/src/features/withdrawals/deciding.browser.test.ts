import { approveWithdrawal, decideWithdrawals, readDailyLimit, rejectWithdrawal } from 'contract/withdrawals.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { button, dialog, expectDisabledBecause } from '#panel/testing/screen.ts';
import { answer, callsTo, fault, restore } from '#panel/testing/server.ts';
import { answerWithdrawals, withdrawal } from '#panel/testing/withdrawal-answers.ts';

const address = '/dashboard/manage-withdraw';
const dollars = (amount: number) => BigInt(amount) * 1_000_000n;
const approve = () => dialog().getByRole('button', { name: 'Approve', exact: true });

async function selectAll() {
  await page.getByRole('checkbox', { name: /^Select all/ }).click();
  await button('Approve').click();
}

test('the bulk dialog shows how many are approved now, how many need a second approver, and why', async () => {
  const many = [300, 900, 200].map((amount) => withdrawal({ amount: dollars(amount) }));
  answerWithdrawals(many);
  answer(readDailyLimit, { limit: dollars(1_000), usedToday: dollars(500) });
  answer(decideWithdrawals, { done: 2, requested: 1, refused: [] });
  visitSignedIn(`${address}?status=Pending`);
  await selectAll();
  await expect.element(dialog()).toMatchTextContent('Approve 3 withdrawals totaling $1,400.00?');
  await expect.element(dialog()).toMatchTextContent('Approved now2 withdrawals, $500.00');
  await expect.element(dialog()).toMatchTextContent('Need a second approver1 withdrawal, $900.00');
  await expect
    .element(dialog())
    .toMatchTextContent(
      'You can move $1,000.00 a day on your own and have moved $500.00 today. Anything above goes to a second approver.',
    );
  expect(callsTo(decideWithdrawals)).toHaveLength(0);
  await approve().click();
  await expect.element(dialog()).toMatchTextContent('2 withdrawals approved.');
  await expect.element(dialog()).toMatchTextContent('1 withdrawal sent to a second approver.');
  expect(callsTo(decideWithdrawals)).toEqual([{ body: { ids: many.map(({ id }) => id) } }]);
});

test('the dialog says before approval that a withdrawal exceeds the daily limit', async () => {
  const one = withdrawal({ amount: dollars(4_321), user: 'milancosta' });
  answerWithdrawals([one]);
  answer(readDailyLimit, { limit: dollars(1_000), usedToday: 0n });
  visitSignedIn(`${address}?withdrawal=${one.id}`);
  await dialog().getByRole('button', { name: 'Approve' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Approve Withdrawal' });
  await expect.element(confirmation).toMatchTextContent('Pay $4,321.00 to milancosta?');
  await expect.element(confirmation).toMatchTextContent('This goes to a second approver. You can move $1,000.00 a day');
});

test('nothing can be approved until the daily limit is loaded, and loading can be retried', async () => {
  answerWithdrawals([withdrawal(), withdrawal()]);
  answer(readDailyLimit, { limit: dollars(1_000), usedToday: 0n });
  fault(readDailyLimit);
  visitSignedIn(`${address}?status=Pending`);
  await selectAll();
  await expect.element(dialog()).toMatchTextContent('Failed to fetch your daily limit');
  await expectDisabledBecause(approve(), 'Your daily limit is still loading.');
  restore(readDailyLimit);
  await dialog().getByRole('button', { name: 'Retry' }).click();
  await expect.element(dialog()).toMatchTextContent('Approved now2 withdrawals');
  await expect.element(approve()).not.toHaveAttribute('aria-disabled');
});

test('a withdrawal that an expired request says was sent keeps its reference and cannot be rejected', async () => {
  const one = withdrawal({ reference: 'sent-overnight' });
  answerWithdrawals([one]);
  answer(readDailyLimit, { limit: dollars(1_000), usedToday: 0n });
  answer(approveWithdrawal, { withdrawal: one });
  visitSignedIn(`${address}?withdrawal=${one.id}`);
  await expectDisabledBecause(
    dialog().getByRole('button', { name: 'Reject' }),
    rejectWithdrawal.refusals[409].AlreadySent,
  );
  await dialog().getByRole('button', { name: 'Approve' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Approve Withdrawal' });
  const reference = confirmation.getByLabelText('Transaction reference');
  await expect.element(reference).toHaveValue('sent-overnight');
  await expect.element(reference).toHaveAttribute('readonly');
  await confirmation.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(() => callsTo(approveWithdrawal)).toMatchObject([{ body: { reference: 'sent-overnight' } }]);
});

import {
  closeDifference,
  listDifferences,
  listReconciliations,
  type Reconciliation,
  type ReconciliationDifference,
  reconcileWithdrawals,
} from 'contract/withdrawals-reconciliation.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { adminWith, type Admin, visitSignedIn } from '#panel/testing/app.ts';
import { freshId, longAgo, onePage } from '#panel/testing/list-answers.ts';
import { button, expectDisabledBecause, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, refuse } from '#panel/testing/server.ts';
import { answerWithdrawals } from '#panel/testing/withdrawal-answers.ts';

const address = '/dashboard/manage-withdraw?section=reconciliation';
const field = () => page.getByLabelText('Transfers that were sent');
const row = (text: string) => page.getByRole('row').filter({ hasText: text });

const made: Reconciliation = {
  id: freshId(),
  madeBy: 'ines.moreau',
  madeAt: longAgo,
  from: '2026-11-14',
  to: '2026-11-15',
  digest: 'f'.repeat(64),
  listed: 3,
  matched: 2,
  differences: 1,
  open: 1,
};

const differing: ReconciliationDifference = {
  id: freshId(),
  reconciliation: made.id,
  kind: 'amount',
  reference: 'tx-1',
  listedAmount: 12_000_000n,
  listedWallet: 'So1Wallet',
  listedAt: longAgo,
  withdrawal: { id: freshId(), user: 'milancosta', amount: 10_000_000n, wallet: 'So1Wallet', sentAt: longAgo },
  closedAt: null,
  closedBy: null,
  note: null,
};

function answerReconciliation(differences: readonly ReconciliationDifference[], admin?: Admin) {
  answerWithdrawals([], admin);
  answer(listReconciliations, { reconciliations: [made], ...onePage([made]) });
  answer(listDifferences, { differences: [...differences], ...onePage(differences) });
}

test('a pasted list is compared for the days that it covers, and the result is shown', async () => {
  answerReconciliation([]);
  answer(reconcileWithdrawals, { reconciliation: made });
  visitSignedIn(address);
  await expect.element(page.getByText('No open differences.')).toBeVisible();
  const list = 'reference,amount,wallet,time\na,1,w,2026-11-15T10:00:00Z\nb,1,w,2026-11-14T10:00:00Z';
  await field().fill(list);
  await button('Compare').click();
  await expect.element(page.getByText('2 of 3 payments matched. 1 difference to review.')).toBeVisible();
  expect(callsTo(reconcileWithdrawals)).toEqual([{ body: { list, from: '2026-11-14', to: '2026-11-15' } }]);
  await expect.element(page.getByRole('list', { name: 'Earlier lists' })).toMatchTextContent('2 matched, 1 difference');
});

test('a list that cannot be read is not sent, and the line is named', async () => {
  answerReconciliation([]);
  visitSignedIn(address);
  await button('Compare').click();
  await expect.element(page.getByText('Paste a list.')).toBeVisible();
  await field().fill('reference,amount,wallet,time\na,ten,w,2026-11-15');
  await expect.element(page.getByText(/^Line 2: the amount is not a positive number of dollars/)).toBeVisible();
  expect(callsTo(reconcileWithdrawals)).toHaveLength(0);
});

test('a refused list says why and stays in the form', async () => {
  answerReconciliation([]);
  refuse(reconcileWithdrawals, 'ListKnown');
  visitSignedIn(address);
  await field().fill('reference,amount,wallet,time\na,1,w,2026-11-15');
  await button('Compare').click();
  await expect
    .element(page.getByText('This list was already compared with the withdrawals of this period.'))
    .toBeVisible();
  await expect.element(field()).toHaveValue('reference,amount,wallet,time\na,1,w,2026-11-15');
});

test('an open difference shows both sides and is closed with a note', async () => {
  answerReconciliation([differing]);
  answer(closeDifference, { difference: { ...differing, closedAt: longAgo, closedBy: 'ines.moreau', note: 'A fee.' } });
  visitSignedIn(address);
  await expect.element(row('tx-1')).toMatchTextContent('Amount differs');
  await expect.element(row('tx-1')).toMatchTextContent('$12.00');
  await expect.element(row('tx-1')).toMatchTextContent('$10.00');
  await row('tx-1').getByRole('button', { name: 'Close', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Close Difference' });
  await form.getByRole('button', { name: 'Close difference' }).click();
  await expect.element(form).toMatchTextContent('Enter a note.');
  await form.getByLabelText('Note').fill('A fee.');
  await form.getByRole('button', { name: 'Close difference' }).click();
  await expect.element(toast('Difference closed')).toBeVisible();
  expect(callsTo(closeDifference)).toEqual([{ params: { id: differing.id }, body: { note: 'A fee.' } }]);
});

test('an admin without permission reads the differences and cannot compare or close', async () => {
  answerReconciliation([differing], adminWith('Support'));
  visitSignedIn(address);
  await expectDisabledBecause(button('Compare'), 'Your role does not allow this.');
  await expectDisabledBecause(
    row('tx-1').getByRole('button', { name: 'Close', exact: true }),
    'Your role does not allow this.',
  );
});

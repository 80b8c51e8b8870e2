import { readTransfer } from 'contract/ledger.ts';
import { explainTransfer } from 'contract/runs-payments.ts';
import { expect, test } from 'vitest';
import { visitSignedIn } from '#panel/testing/app.ts';
import { answerLedger, transfer } from '#panel/testing/ledger-answers.ts';
import { listedRun, runLine } from '#panel/testing/run-answers.ts';
import { button, dialog } from '#panel/testing/screen.ts';
import { answer } from '#panel/testing/server.ts';

const factOf = (name: string) =>
  [...document.querySelectorAll('.fact')].find((fact) => fact.querySelector('dt')?.textContent === name)?.textContent;

test('the reversal of a payment names the payment: its kind, amount, day, transfer and run', async () => {
  const paid = listedRun();
  const { paidLines: _paidLines, paid: _paid, net: _net, ...run } = listedRun({ reverses: paid.id, reason: 'Wrong.' });
  const reversal = transfer({
    kind: 'stake-base',
    amount: '2.50',
    from: 'available',
    to: 'stake_rewards',
    reverses: '20261112-4711',
  });
  answerLedger([reversal]);
  answer(readTransfer, { transfer: reversal, reversedBy: null, adjusted: null, bookedBy: null });
  const reversedTransfers = [{ id: '20261112-4711', kind: 'stake-base' as const, amount: '2.50' }];
  answer(explainTransfer, {
    why: { run, line: runLine(), settings: {}, inputs: {}, reversedTransfers, receivable: null },
    archive: null,
  });
  visitSignedIn(`/dashboard/ledger?transfer=${reversal.id}`);
  await expect.poll(() => factOf('Reverses')).toBe('ReversesStake reward of $2.50, 12 Nov 2026: 20261112-4711');
  await expect
    .element(dialog().getByText('Reversed. Transfer 20261112-4711 of the run Stake payout, 12 Nov 2026'))
    .toBeVisible();
  await expect
    .element(dialog().getByRole('link', { name: 'Stake payout, 12 Nov 2026', exact: true }))
    .toHaveAttribute('href', `/dashboard/runs/${paid.id}`);
  await expect.element(button('Copy as text')).toBeVisible();
});

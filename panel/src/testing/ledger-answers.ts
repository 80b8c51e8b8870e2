import { listTransfers, readBalances, type Transfer } from 'contract/ledger.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';

let posted = 0;

export function transfer(given: Partial<Transfer> = {}): Transfer {
  posted += 1;
  return {
    id: `20261101-${posted}`,
    day: '2026-11-01',
    postedAt: longAgo,
    kind: 'task',
    cause: freshId(),
    user: { id: freshId(), username: 'milancosta', isDeleted: false },
    asset: 'USD',
    amount: '25.00',
    from: 'treasury',
    to: 'available',
    reverses: null,
    ...given,
  };
}

export function answerLedger(transfers: readonly Transfer[], admin?: Admin) {
  answerFrame(admin);
  answer(listTransfers, () => ({ transfers: [...transfers], ...onePage(transfers) }));
  answer(readBalances, { balances: [{ account: 'treasury', asset: 'USD', amount: '1000.00' }] });
}

import { listWithdrawals, readWithdrawal, readWithdrawalSwitch, type Withdrawal } from 'contract/withdrawals.ts';
import { readWithdrawalFigures } from 'contract/withdrawals-figures.ts';
import { readUser } from 'contract/users.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';
import { user } from './user-answers.ts';

export const withdrawal = (given: Partial<Withdrawal> = {}): Withdrawal => ({
  id: freshId(),
  user: 'milancosta',
  userUuid: freshId(),
  amount: 483_280_000n,
  wallet: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  status: 'Pending',
  date: longAgo,
  gmpShares: 12n,
  prevSLX: 40n,
  slxPoints: 44n,
  balance: 900_000_000n,
  decidedAt: null,
  decidedBy: null,
  reason: null,
  signature: null,
  preparedBy: null,
  waitsUntil: null,
  waitingApproval: null,
  signals: [],
  ...given,
});

const sum = { count: 1, amount: 483_280_000n };

export function answerWithdrawals(withdrawals: readonly Withdrawal[], admin?: Admin) {
  answerFrame(admin);
  answer(listWithdrawals, () => ({ withdrawals: [...withdrawals], ...onePage(withdrawals) }));
  answer(readWithdrawal, ({ params }) => ({
    withdrawal: withdrawals.find(({ id }) => id === params.id) ?? withdrawal({ id: params.id }),
  }));
  answer(readUser, ({ params }) => ({ user: user({ id: params.id, available: 416_720_000n }) }));
  answer(readWithdrawalFigures, { total: sum, completed: sum, pending: sum, failed: sum });
  answer(readWithdrawalSwitch, { switch: { enabled: true, changedBy: null, changedAt: null } });
}

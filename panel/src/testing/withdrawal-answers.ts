import { listWithdrawals, readWithdrawal, readWithdrawalSwitch, type Withdrawal } from 'contract/withdrawals.ts';
import { readWithdrawalFigures } from 'contract/withdrawals-figures.ts';
import { readSettlement, readWithdrawalSettings, type WithdrawalSettings } from 'contract/withdrawals-settlement.ts';
import { readUser } from 'contract/users.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';
import { user } from './user-answers.ts';

export const withdrawal = (given: Partial<Withdrawal> = {}): Withdrawal => ({
  id: freshId(),
  platformId: null,
  user: 'milancosta',
  userUuid: freshId(),
  amount: 483_280_000n,
  wallet: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  status: 'Pending',
  state: 'requested',
  date: longAgo,
  gmpShares: 12n,
  prevSLX: 40n,
  slxPoints: 44n,
  balance: 900_000_000n,
  decidedAt: null,
  decidedBy: null,
  reason: null,
  reference: null,
  mode: null,
  askedAt: null,
  sentAt: null,
  sentBy: null,
  sentSource: null,
  unknownAt: null,
  unknownBy: null,
  unknownSource: null,
  settledAt: null,
  settledBy: null,
  settledSource: null,
  failureRequestedBy: null,
  preparedBy: null,
  waitsUntil: null,
  waitingApproval: null,
  signals: [],
  ...given,
});

/** A withdrawal that was approved and waits for its outcome. */
export const openWithdrawal = (given: Partial<Withdrawal> = {}) =>
  withdrawal({ state: 'approved', mode: 'manual', decidedAt: longAgo, decidedBy: 'ines.moreau', ...given });

export const withdrawalSettings: WithdrawalSettings = {
  mode: 'manual',
  unknownAfterHours: 24,
  version: 1,
  savedBy: null,
  approvedBy: null,
  savedAt: longAgo,
  waiting: null,
};

const sum = { count: 1, amount: 483_280_000n };

export function answerWithdrawals(withdrawals: readonly Withdrawal[], admin?: Admin) {
  answerFrame(admin);
  answer(listWithdrawals, ({ querystring: { open } }) => {
    const rows = withdrawals.filter(({ state }) => open === undefined || state === open);
    return { withdrawals: rows, ...onePage(rows) };
  });
  answer(readSettlement, {
    settlement: {
      approved: { ...sum, oldest: longAgo },
      sent: { ...sum, oldest: longAgo },
      unknown: { count: 0, amount: 0n, oldest: null },
    },
  });
  answer(readWithdrawalSettings, { settings: withdrawalSettings });
  answer(readWithdrawal, ({ params }) => ({
    withdrawal: withdrawals.find(({ id }) => id === params.id) ?? withdrawal({ id: params.id }),
  }));
  answer(readUser, ({ params }) => ({ user: user({ id: params.id, available: 416_720_000n }) }));
  answer(readWithdrawalFigures, { total: sum, completed: sum, pending: sum, failed: sum });
  answer(readWithdrawalSwitch, { switch: { enabled: true, changedBy: null, changedAt: null } });
}

import { type ListedApproval, listApprovals, readApproval } from 'contract/approvals.ts';
import { countApprovals } from 'contract/approvals-count.ts';
import { listWithdrawals, readWithdrawal } from 'contract/withdrawals.ts';
import { readUser } from 'contract/users.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';
import { user } from './user-answers.ts';
import { withdrawal } from './withdrawal-answers.ts';

const inAnHour = () => new Date(Date.now() + 3_600_000);

/** A withdrawal for which a colleague requests a second approval. */
export const approval = (given: Partial<ListedApproval> = {}): ListedApproval => {
  const id = given.id ?? freshId();
  return {
    id,
    kind: 'withdrawal',
    subject: freshId(),
    userUuid: freshId(),
    facts: [
      { key: 'user', value: 'milancosta' },
      { key: 'amount', value: '1234500000 USD' },
      { key: 'wallet', value: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU' },
      { key: 'requestedAt', value: '2026-11-01T10:00:00.000Z' },
    ],
    digest: `digest of ${id}`,
    requestedBy: { id: '0198c0de-0000-7000-8000-00000000bbbb', username: 'kenji.sato' },
    requestedAt: longAgo,
    expiresAt: inAnHour(),
    state: 'waiting',
    decidedBy: null,
    decidedAt: null,
    reason: null,
    signals: [],
    refusal: null,
    ...given,
  };
};

/** Sets the responses for the list, each request, and the information beside a withdrawal. */
export function answerApprovals(approvals: () => readonly ListedApproval[], admin?: Admin) {
  answerFrame(admin);
  answer(listApprovals, ({ querystring: { state } }) => {
    const rows = approvals().filter((one) => state === undefined || one.state === state);
    return { approvals: rows, ...onePage(rows), aloneAfterSeconds: null };
  });
  answer(readApproval, ({ params }) => ({
    approval: approvals().find(({ id }) => id === params.id) ?? approval({ id: params.id }),
    aloneAfterSeconds: null,
    approvers: [{ username: 'ines.moreau', refusal: null, from: null }],
  }));
  answer(countApprovals, () => {
    const waiting = approvals().filter(({ state }) => state === 'waiting');
    return { waiting: waiting.length, approvable: waiting.filter(({ refusal }) => refusal === null).length };
  });
  answer(readWithdrawal, ({ params }) => ({
    withdrawal: withdrawal({ id: params.id, signals: ['shared wallet'], balance: 2_000_000_000n }),
  }));
  const earlier = [withdrawal({ status: 'Completed', amount: 77_000_000n })];
  answer(listWithdrawals, { withdrawals: earlier, ...onePage(earlier) });
  answer(readUser, ({ params }) => ({
    user: user({ id: params.id, available: 416_720_000n, totalWithdrawals: 77_000_000n }),
  }));
}

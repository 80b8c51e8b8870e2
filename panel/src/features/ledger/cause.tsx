import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Account, Transfer } from 'contract/ledger.ts';
import { runKinds } from 'contract/run-kinds.ts';
import { readWithdrawal } from 'contract/withdrawals.ts';
import { WithdrawalState } from '#panel/domain/withdrawal-status.tsx';
import { queryFor } from '#panel/shell/query.ts';

/** Links to the item that a transfer was posted for. */
export function Cause({ transfer, bookedBy }: { transfer: Transfer; bookedBy: string | null }) {
  const { kind, cause } = transfer;
  switch (kind) {
    case 'withdrawal':
      return <TheWithdrawal id={cause} />;
    case 'task':
      return <TheTask id={cause} />;
    case 'stake':
    case 'stake-end':
    case 'stake-base':
    case 'stake-bonus':
    case 'stake-loyalty':
    case 'loyalty':
      return (
        <Link to="/dashboard/manage-staking" search={{ stake: cause }} className="ledger-link">
          View stake
        </Link>
      );
    case 'referral':
      return (
        <Link to="/dashboard/user-profile/$id" params={{ id: cause }} className="ledger-link">
          View referred user
        </Link>
      );
    case 'gmp':
    case 'rank-bonus':
      return (
        <Link to="/dashboard/user-profile/$id" params={{ id: cause }} className="ledger-link">
          View user
        </Link>
      );
    case 'deposit':
      return 'Deposit on the platform';
    case 'funding':
      return <Funded transfer={transfer} />;
    case 'adjustment':
      return 'Manual adjustment';
    case 'receivable':
      return bookedBy === null ? 'Run' : <TheRun id={bookedBy} />;
  }
}

const fundedByRuns: ReadonlySet<Account> = new Set(Object.values(runKinds).map(({ fundedAccount }) => fundedAccount));

/** Links to the item that the treasury funded, or that returned money to it. */
function Funded({ transfer: { cause, from, to } }: { transfer: Transfer }) {
  const account = from === 'treasury' ? to : from;
  if (fundedByRuns.has(account)) {
    return <TheRun id={cause} />;
  }
  return account === 'task_rewards' ? <TheTask id={cause} /> : 'Treasury adjustment';
}

function TheRun({ id }: { id: string }) {
  return (
    <Link to="/dashboard/runs/$id" params={{ id }} className="ledger-link">
      View run
    </Link>
  );
}

/** Links to a withdrawal and shows its state, which the movement alone does not tell. */
function TheWithdrawal({ id }: { id: string }) {
  const { data } = useQuery(queryFor(readWithdrawal, { params: { id } }));
  return (
    <>
      <Link to="/dashboard/manage-withdraw" search={{ withdrawal: id }} className="ledger-link">
        View withdrawal
      </Link>
      {data && (
        <>
          {' '}
          <WithdrawalState withdrawal={data.withdrawal} />
        </>
      )}
    </>
  );
}

function TheTask({ id }: { id: string }) {
  return (
    <Link to="/dashboard/manage-task" search={{ task: id }} className="ledger-link">
      View task
    </Link>
  );
}

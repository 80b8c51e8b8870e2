import { Link } from '@tanstack/react-router';
import type { Account, Transfer } from 'contract/ledger.ts';
import { runKinds } from 'contract/run-kinds.ts';

/** The way to what a transfer was posted for, one click from it. */
export function Cause({ transfer }: { transfer: Transfer }) {
  const { kind, cause } = transfer;
  switch (kind) {
    case 'withdrawal':
      return (
        <Link to="/dashboard/manage-withdraw" search={{ withdrawal: cause }} className="ledger-link">
          The withdrawal
        </Link>
      );
    case 'task':
      return <TheTask id={cause} />;
    case 'stake':
    case 'stake-base':
    case 'stake-bonus':
    case 'stake-loyalty':
    case 'loyalty':
      return (
        <Link to="/dashboard/manage-staking" search={{ stake: cause }} className="ledger-link">
          The stake
        </Link>
      );
    case 'referral':
      return (
        <Link to="/dashboard/user-profile/$id" params={{ id: cause }} className="ledger-link">
          The referred user
        </Link>
      );
    case 'gmp':
    case 'rank-bonus':
      return (
        <Link to="/dashboard/user-profile/$id" params={{ id: cause }} className="ledger-link">
          The user’s shares and rank
        </Link>
      );
    case 'deposit':
      return 'Paid in on the platform';
    case 'funding':
      return <Funded transfer={transfer} />;
    case 'adjustment':
      return 'Adjusted by an administrator';
  }
}

const fundedByRuns: ReadonlySet<Account> = new Set(Object.values(runKinds).map(({ fundedAccount }) => fundedAccount));

/** What the treasury gave to be paid out, or got back. */
function Funded({ transfer: { cause, from, to } }: { transfer: Transfer }) {
  const account = from === 'treasury' ? to : from;
  if (fundedByRuns.has(account)) {
    return (
      <Link to="/dashboard/runs/$id" params={{ id: cause }} className="ledger-link">
        The run
      </Link>
    );
  }
  return account === 'task_rewards' ? <TheTask id={cause} /> : 'Moved by the platform';
}

function TheTask({ id }: { id: string }) {
  return (
    <Link to="/dashboard/manage-task" search={{ task: id }} className="ledger-link">
      The task
    </Link>
  );
}

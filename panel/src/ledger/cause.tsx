import { Link } from '@tanstack/react-router';
import type { Transfer } from 'contract/ledger.ts';

/** The way to what a transfer was posted for, one click from it. */
export function Cause({ transfer: { kind, cause } }: { transfer: Transfer }) {
  switch (kind) {
    case 'withdrawal':
      return (
        <Link to="/dashboard/manage-withdraw" search={{ withdrawal: cause }} className="ledger-link">
          The withdrawal
        </Link>
      );
    case 'task':
      return (
        <Link to="/dashboard/manage-task" search={{ task: cause }} className="ledger-link">
          The task
        </Link>
      );
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
      return 'Moved by the house';
    case 'adjustment':
      return 'Adjusted by an administrator';
  }
}

import { Link } from '@tanstack/react-router';
import { findFact } from 'contract/approvals-facts.ts';
import type { Approval } from 'contract/approvals.ts';
import { JobName } from 'contract/run-kinds.ts';
import { settingsPathOf } from '#panel/domain/run-kinds.ts';

/** A link to what the request would change. */
export function ApprovalItem({ approval: { kind, subject, userUuid, facts } }: { approval: Approval }) {
  switch (kind) {
    case 'withdrawal':
      return (
        <Link to="/dashboard/manage-withdraw" search={{ withdrawal: subject }} className="approval-link">
          View withdrawal
        </Link>
      );
    case 'task':
      return (
        <Link to="/dashboard/manage-task" search={{ task: subject }} className="approval-link">
          View task
        </Link>
      );
    case 'run':
      return (
        <Link to="/dashboard/runs/$id" params={{ id: subject }} className="approval-link">
          View run
        </Link>
      );
    case 'settings':
      return <ViewSettings facts={facts} />;
    case 'limit':
      return (
        <Link to="/dashboard/approvals" search={{ limits: 'open' }} className="approval-link">
          View limits
        </Link>
      );
    case 'grant':
    case 'demotion':
    case 'removal':
    case 'account':
    case 'recovery':
      return (
        <Link to="/dashboard/admin-profile/$id" params={{ id: subject }} className="approval-link">
          View administrator
        </Link>
      );
    case 'repair':
      return (
        <Link to="/dashboard/settings/cronjobs/referral-check" className="approval-link">
          View tree report
        </Link>
      );
    case 'key':
      return (
        <Link to="/dashboard/integrations" className="approval-link">
          View API keys
        </Link>
      );
    case 'plan':
      return (
        <Link to="/dashboard/manage-staking" className="approval-link">
          View plans
        </Link>
      );
    case 'promotion':
      return userUuid === null ? <ViewPromotions /> : <ViewUser id={userUuid} />;
    case 'reveal':
    case 'adjustment':
      return userUuid === null ? <ViewTreasury /> : <ViewUser id={userUuid} />;
  }
}

function ViewPromotions() {
  return (
    <Link to="/dashboard/settings/cronjobs/rank-promo" className="approval-link">
      View rank promotion
    </Link>
  );
}

function ViewTreasury() {
  return (
    <Link to="/dashboard/ledger" className="approval-link">
      View treasury
    </Link>
  );
}

function ViewSettings({ facts }: Pick<Approval, 'facts'>) {
  const job = JobName.safeParse(findFact(facts, 'job')?.value).data;
  if (!job) {
    return (
      <Link to="/dashboard/manage-withdraw" className="approval-link">
        View settings
      </Link>
    );
  }
  return (
    <Link to={settingsPathOf(job)} className="approval-link">
      View settings
    </Link>
  );
}

function ViewUser({ id }: { id: string }) {
  return (
    <Link to="/dashboard/user-profile/$id" params={{ id }} className="approval-link">
      View user
    </Link>
  );
}

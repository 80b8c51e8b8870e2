import { useQuery } from '@tanstack/react-query';
import { jobTitles, RunKind } from 'contract/run-kinds.ts';
import { Link } from '@tanstack/react-router';
import type { Approval } from 'contract/approvals.ts';
import { Facts } from '#panel/ui/facts.tsx';
import { Moment } from '#panel/ui/moment.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { exactUtc } from '#panel/ui/time-words.ts';
import { useToldFailure } from '#panel/ui/told-failure.ts';
import { approvalQuery } from './api.ts';
import { ApprovalState } from './approval-state.tsx';
import { Decide } from './decide.tsx';

const failed = 'Failed to fetch the request';

export function ApprovalView({ id, known }: RowViewProps<Approval>) {
  const query = useQuery(approvalQuery(id));
  useToldFailure(failed, query, { saidInPlace: query.isLoadingError });
  // Decided, it leaves a list of those that wait: what the list knew last is then not what it is.
  const approval = query.data?.approval ?? known;
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!approval) return <SkeletonLines lines={8} label="Loading the request" />;
  return (
    <div className="approval">
      <Facts
        facts={[
          ...approval.facts,
          { name: 'State', value: <ApprovalState status={approval.state} /> },
          { name: 'Asked by', value: approval.askedBy.username },
          { name: 'Asked', value: <Moment at={approval.askedAt} /> },
          approval.state === 'waiting'
            ? { name: 'Ends', value: exactUtc(approval.expiresAt) }
            : { name: 'Ended', value: <Moment at={approval.decidedAt ?? approval.expiresAt} /> },
          ...(approval.state === 'waiting' && query.data
            ? [{ name: 'May approve', value: sayDeciders(query.data.deciders) }]
            : []),
          ...(approval.decidedBy ? [{ name: 'Decided by', value: approval.decidedBy.username }] : []),
          ...(approval.reason === null ? [] : [{ name: 'Why', value: approval.reason }]),
          { name: 'Subject', value: <Subject approval={approval} /> },
          { name: 'Digest', value: <ShortId id={approval.digest} /> },
        ]}
      />
      {approval.state === 'waiting' && (
        <Decide approval={approval} aloneAfterSeconds={query.data?.aloneAfterSeconds ?? null} />
      )}
    </div>
  );
}

const namedAtMost = 8;

function sayDeciders(deciders: readonly string[]) {
  if (deciders.length === 0) return 'Nobody: it takes somebody else, with the permission, who was here before it';
  const more = deciders.length - namedAtMost;
  return `${deciders.slice(0, namedAtMost).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function Subject({ approval: { kind, subject, person, facts } }: { approval: Approval }) {
  switch (kind) {
    case 'withdrawal':
      return (
        <Link to="/dashboard/manage-withdraw" search={{ withdrawal: subject }} className="approval-link">
          The withdrawal
        </Link>
      );
    case 'task':
      return (
        <Link to="/dashboard/manage-task" search={{ task: subject }} className="approval-link">
          The task
        </Link>
      );
    case 'run':
      return (
        <Link to="/dashboard/runs/$id" params={{ id: subject }} className="approval-link">
          The run
        </Link>
      );
    case 'settings': {
      const job = RunKind.options.find((name) => jobTitles[name] === facts[0]?.value);
      return job ? (
        <Link to={`/dashboard/settings/cronjobs/${job}`} className="approval-link">
          The settings
        </Link>
      ) : null;
    }
    case 'limit':
      return (
        <Link to="/dashboard/approvals" search={{ limits: 'open' }} className="approval-link">
          The limits
        </Link>
      );
    case 'grant':
      return (
        <Link to="/dashboard/admin-profile/$id" params={{ id: subject }} className="approval-link">
          The administrator
        </Link>
      );
    case 'repair':
      return (
        <Link to="/dashboard/settings/cronjobs/referral-check" className="approval-link">
          The report on the tree
        </Link>
      );
    case 'plan':
      return (
        <Link to="/dashboard/manage-staking" className="approval-link">
          The plans
        </Link>
      );
    case 'adjustment':
      return person === null ? (
        <Link to="/dashboard/ledger" className="approval-link">
          The treasury
        </Link>
      ) : (
        <Link to="/dashboard/user-profile/$id" params={{ id: person }} className="approval-link">
          The user
        </Link>
      );
  }
}

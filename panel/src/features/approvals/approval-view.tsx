import { useQuery } from '@tanstack/react-query';
import { findFact } from 'contract/approvals-facts.ts';
import { RunKind } from 'contract/run-kinds.ts';
import { Link } from '@tanstack/react-router';
import type { Approval, ListedApproval } from 'contract/approvals.ts';
import { readWithdrawal } from 'contract/withdrawals.ts';
import { runKindText } from '#panel/domain/run-kinds.ts';
import { formatRunOf, labelOfFact } from '#panel/domain/fact-text.ts';
import { FactValue } from '#panel/domain/fact-value.tsx';
import { queryFor } from '#panel/shell/query.ts';
import { WithdrawalContext } from '#panel/domain/withdrawal-context.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { exactUtc } from '#panel/ui/time-text.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { approvalQuery } from './api.ts';
import { ApprovalState } from './approval-state.tsx';
import { Decide } from './decide.tsx';

const failed = 'Failed to fetch the request';

export function ApprovalView({ id, known }: RowViewProps<ListedApproval>) {
  const query = useQuery(approvalQuery(id));
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  // A decided request leaves a list filtered by waiting, so the row of the list may be outdated.
  const approval = query.data?.approval ?? known;
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!approval) return <SkeletonLines lines={8} label="Loading the request" />;
  const waits = approval.state === 'waiting';
  return (
    <div className="approval">
      <section aria-label="Requested change">
        <Facts facts={factsShown(approval)} />
      </section>
      {waits && approval.kind === 'withdrawal' && <ContextOf id={approval.subject} />}
      <section aria-labelledby="approval-request">
        <h3 id="approval-request" className="approval-section">
          Request
        </h3>
        <RequestFacts approval={approval} deciders={query.data?.deciders} />
      </section>
      {waits && <Decide approval={approval} aloneAfterSeconds={query.data?.aloneAfterSeconds ?? null} />}
    </div>
  );
}

const ofRun = ['job', 'period', 'direction'];

/** Shows a run by one name, made of its job, period and direction. */
function factsShown({ kind, facts }: Approval): Fact[] {
  const run = kind === 'run' ? formatRunOf(facts) : undefined;
  const further = run === undefined ? facts : facts.filter(({ key }) => !ofRun.includes(key));
  return [
    ...(run === undefined ? [] : [{ name: 'Run', value: run }]),
    ...further.map((fact) => ({ name: labelOfFact(fact), value: <FactValue fact={fact} /> })),
  ];
}

/** Current data of the withdrawal, to help decide. The approval itself covers only the facts of the request. */
function ContextOf({ id }: { id: string }) {
  const query = useQuery(queryFor(readWithdrawal, { params: { id } }));
  if (query.isLoadingError) return <LoadError title="Failed to fetch the withdrawal" query={query} />;
  if (!query.data) return <SkeletonLines lines={6} label="Loading the withdrawal" />;
  return <WithdrawalContext withdrawal={query.data.withdrawal} />;
}

function RequestFacts({ approval, deciders }: { approval: Approval; deciders: readonly string[] | undefined }) {
  const waits = approval.state === 'waiting';
  return (
    <Facts
      facts={[
        { name: 'State', value: <ApprovalState status={approval.state} /> },
        { name: 'Requested by', value: approval.requestedBy.username },
        { name: 'Approval requested', value: <Timestamp at={approval.requestedAt} /> },
        waits
          ? { name: 'Expires', value: exactUtc(approval.expiresAt) }
          : { name: 'Ended', value: <Timestamp at={approval.decidedAt ?? approval.expiresAt} /> },
        ...(waits && deciders ? [{ name: 'May approve', value: formatDeciders(deciders) }] : []),
        ...(approval.decidedBy ? [{ name: 'Decided by', value: approval.decidedBy.username }] : []),
        ...(approval.reason === null ? [] : [{ name: 'Why', value: approval.reason }]),
        { name: 'Item', value: <Item approval={approval} /> },
        { name: 'Fingerprint', value: <ShortId id={approval.digest} /> },
      ]}
    />
  );
}

const namedAtMost = 8;

function formatDeciders(deciders: readonly string[]) {
  if (deciders.length === 0)
    return 'No one yet. Another administrator with the permission, whose account is older than the request, can approve it.';
  const more = deciders.length - namedAtMost;
  return `${deciders.slice(0, namedAtMost).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function Item({ approval: { kind, subject, userUuid, facts } }: { approval: Approval }) {
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
    case 'settings': {
      const job = RunKind.safeParse(findFact(facts, 'job')?.value).data;
      return job ? (
        <Link to={runKindText[job].settingsPath} className="approval-link">
          View settings
        </Link>
      ) : null;
    }
    case 'limit':
      return (
        <Link to="/dashboard/approvals" search={{ limits: 'open' }} className="approval-link">
          View limits
        </Link>
      );
    case 'grant':
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
    case 'plan':
      return (
        <Link to="/dashboard/manage-staking" className="approval-link">
          View plans
        </Link>
      );
    case 'adjustment':
      return userUuid === null ? (
        <Link to="/dashboard/ledger" className="approval-link">
          View treasury
        </Link>
      ) : (
        <Link to="/dashboard/user-profile/$id" params={{ id: userUuid }} className="approval-link">
          View user
        </Link>
      );
  }
}

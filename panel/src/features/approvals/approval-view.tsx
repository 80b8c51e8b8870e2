import { useQuery } from '@tanstack/react-query';
import type { Approval, ApproveRefusal, ListedApproval, readApproval } from 'contract/approvals.ts';
import type { Answer } from 'contract/core/endpoint.ts';
import { readWithdrawal } from 'contract/withdrawals.ts';
import { lazy, Suspense } from 'react';
import { formatRunOf, labelOfFact } from '#panel/domain/fact-text.ts';
import { FactValue } from '#panel/domain/fact-value.tsx';
import { Trail } from '#panel/domain/trail.tsx';
import { queryFor } from '#panel/shell/query.ts';
import { WithdrawalContext } from '#panel/domain/withdrawal-context.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { exactUtc, formatUtc } from '#panel/ui/time-text.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { approvalQuery } from './api.ts';
import { ApprovalItem } from './approval-item.tsx';
import { ApprovalState } from './approval-state.tsx';
import { Decide } from './decide.tsx';

// Loaded on demand, because it brings the endpoint of runs with it.
const RunContext = lazy(async () => ({ default: (await import('./run-context.tsx')).RunContext }));

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
      {waits && approval.kind === 'run' && (
        <Suspense fallback={<SkeletonLines lines={4} label="Loading the run" />}>
          <RunContext id={approval.subject} />
        </Suspense>
      )}
      <section aria-labelledby="approval-request">
        <h3 id="approval-request" className="approval-section">
          Request
        </h3>
        <RequestFacts approval={approval} approvers={query.data?.approvers} />
      </section>
      {waits && <Decide approval={approval} aloneAfterSeconds={query.data?.aloneAfterSeconds ?? null} />}
      <Trail feature="approvals" subject={approval.subject} />
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

type Approvers = Answer<typeof readApproval>['approvers'];

function RequestFacts({ approval, approvers }: { approval: Approval; approvers: Approvers | undefined }) {
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
        ...(waits && approvers ? approverFacts(approvers) : []),
        ...(approval.decidedBy ? [{ name: 'Decided by', value: approval.decidedBy.username }] : []),
        ...(approval.reason === null ? [] : [{ name: 'Reason', value: approval.reason }]),
        { name: 'Item', value: <ApprovalItem approval={approval} /> },
        { name: 'Fingerprint', value: <ShortId id={approval.digest} /> },
      ]}
    />
  );
}

const namedAtMost = 8;

function approverFacts(approvers: Approvers): Fact[] {
  const may = approvers.filter(({ refusal }) => refusal === null).map(({ username }) => username);
  const mayNot = approvers.filter(({ refusal }) => refusal !== null).map(formatNotApprover);
  return [
    { name: 'May approve', value: may.length === 0 ? 'No one at the moment' : formatNames(may) },
    ...(mayNot.length === 0 ? [] : [{ name: 'May not approve', value: formatNames(mayNot) }]),
  ];
}

function formatNames(names: readonly string[]) {
  const more = names.length - namedAtMost;
  return `${names.slice(0, namedAtMost).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** "eve (account not confirmed; may approve from 21 Nov 2026, 10:00 UTC)". */
function formatNotApprover({ username, refusal, from }: Approvers[number]) {
  const isDenied = refusal === 'AccountUnconfirmed' && from === null;
  const why = isDenied ? 'account denied' : refusal && notApproverText[refusal];
  return `${username} (${why}${from ? `; may approve from ${formatUtc(from)}` : ''})`;
}

const notApproverText: Record<ApproveRefusal, string> = {
  ApprovalExpired: 'expired',
  ApprovalDecided: 'decided',
  RequesterGone: 'the requester may no longer request it',
  ApproverNotPermitted: 'no permission',
  OwnAccount: 'own account',
  OwnRequest: 'requested it',
  RequesterUnconfirmed: 'created or changed an unconfirmed account',
  TooEarly: 'must wait longer',
  PasswordTemporary: 'temporary password',
  AccountUnconfirmed: 'account not confirmed',
};

import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { findFact } from 'contract/approvals-facts.ts';
import { hoursUntilConfirmed, type ListedApproval, listApprovals } from 'contract/approvals.ts';
import { call, type Failure } from '#panel/shell/call.ts';
import { Status } from '#panel/ui/status.tsx';
import { formatUtc } from '#panel/ui/time-text.ts';

/** Reads every page, because other requests must not be able to push a notice off the first one. */
async function readAccountRequests(signal: AbortSignal) {
  const found: ListedApproval[] = [];
  let cursor: string | undefined;
  do {
    const querystring = { state: 'waiting', limit: 100, cursor } as const;
    const { approvals, nextCursor } = await call(listApprovals, { querystring }, signal);
    found.push(...approvals.filter(({ kind }) => kind === 'account'));
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

const accountRequestsQuery = queryOptions<ListedApproval[], Failure<typeof listApprovals>>({
  queryKey: [listApprovals.feature, listApprovals.url, 'accounts'],
  queryFn: ({ signal }) => readAccountRequests(signal),
});

/** Shown to every administrator, so that nobody can give an account the right to approve without the others knowing. */
export function AccountNotices() {
  const { data } = useQuery(accountRequestsQuery);
  return data?.map((request) => (
    <Link key={request.id} to="/dashboard/approvals" search={{ approval: request.id }} className="card home-blocked">
      <Status tone="waiting">{formatNotice(request)}</Status>
    </Link>
  ));
}

const hourMs = 3_600_000;

function formatNotice({ facts, requestedBy, requestedAt }: ListedApproval) {
  const account = findFact(facts, 'administrator')?.value ?? '';
  const from = formatUtc(new Date(requestedAt.getTime() + hoursUntilConfirmed * hourMs));
  return `${account} was given the right to approve by ${requestedBy.username}. It takes effect on ${from} unless an approver denies it.`;
}

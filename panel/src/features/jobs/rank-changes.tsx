import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RankChange } from 'contract/users-ranks.ts';
import { Card } from '#panel/ui/card.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { rankChangesQuery } from './rank-api.ts';

const failed = 'The changes could not be loaded.';

export function RankChanges() {
  const query = useQuery(rankChangesQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data, error } = query;
  return (
    <Card title="Latest changes">
      {data ? (
        <Changes changes={data.changes} />
      ) : error ? (
        <LoadError title={failed} query={query} />
      ) : (
        <SkeletonLines lines={5} label="Loading the changes" />
      )}
    </Card>
  );
}

function Changes({ changes }: { changes: readonly RankChange[] }) {
  if (changes.length === 0) {
    return (
      <EmptyState title="No rank changes yet." line="Promotions appear here, with the administrator and the reason." />
    );
  }
  return (
    <ol className="jobs-changes">
      {changes.map(({ id, user, from, to, reason, by, approvedBy, at }) => (
        <li key={id} className="jobs-change">
          <div className="jobs-change-head">
            <Link to="/dashboard/user-profile/$id" params={{ id: user.id }} className="jobs-user">
              {user.username}
            </Link>
            <span className="jobs-user-id">{user.userId}</span>
            <span className="jobs-step">
              {from} <span aria-label="to">→</span> <strong>{to}</strong>
            </span>
          </div>
          <p className="jobs-reason">{reason}</p>
          <p className="jobs-by">
            {approvedBy === null ? by : `${by}, approved by ${approvedBy}`}, <Timestamp at={at} />
          </p>
        </li>
      ))}
    </ol>
  );
}

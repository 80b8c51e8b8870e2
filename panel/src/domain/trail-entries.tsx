import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type AuditEntry, listAuditEntries } from 'contract/audit.ts';
import type { Feature } from 'contract/core/endpoint.ts';
import { queryFor } from '#panel/shell/query.ts';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatFigure } from '#panel/ui/table/view.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { formatAction } from './audit-action.ts';
import { AuditLines } from './audit-lines.tsx';

export type TrailProps = {
  /** Its live updates also refetch the trail. */
  feature: Feature;
  subject: string;
};

const shownAtMost = 10;

function trailQuery({ feature, subject }: TrailProps) {
  const query = queryFor(listAuditEntries, { querystring: { subject, limit: shownAtMost } });
  return { ...query, queryKey: [feature, ...query.queryKey] };
}

export function TrailEntries(props: TrailProps) {
  const query = useQuery(trailQuery(props));
  if (query.isLoadingError) return <LoadError title="The trail could not be loaded." query={query} />;
  if (!query.data) return <SkeletonLines lines={4} label="Loading the trail" />;
  const { entries, total } = query.data;
  if (entries.length === 0) return <p className="trail-note">Nothing recorded yet.</p>;
  return (
    <>
      <ol className="trail-entries">
        {entries.map((entry) => (
          <TrailEntry key={entry.id} entry={entry} />
        ))}
      </ol>
      <Link to="/dashboard/audit" search={{ subject: props.subject }} className="audit-link">
        {entries.length < total.count ? `View all ${formatFigure(total)} in the audit log` : 'View in the audit log'}
      </Link>
    </>
  );
}

function TrailEntry({ entry: { action, actor, apiKey, at, details } }: { entry: AuditEntry }) {
  return (
    <li className="trail-entry">
      <div className="trail-head">
        <span className="trail-action">{formatAction(action)}</span>
        <span className="trail-by">
          {actor ?? apiKey ?? 'the system'}, <Timestamp at={at} />
        </span>
      </div>
      <AuditLines details={details} />
    </li>
  );
}

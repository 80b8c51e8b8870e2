import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AuditEntry } from 'contract/audit.ts';
import { featureOfAction, formatAction, formatArea } from '#panel/domain/audit-action.ts';
import { readDetails } from '#panel/domain/audit-text.ts';
import { SubjectLink } from '#panel/domain/subject-link.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { entryQuery } from './api.ts';
import { Caller } from './columns.tsx';

const failed = 'Failed to fetch the audit row';

export function EntryView({ id, known }: RowViewProps<AuditEntry>) {
  const query = useQuery(entryQuery(id));
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const entry = query.data?.entry ?? known;
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!entry) return <SkeletonLines lines={8} label="Loading the audit row" />;
  const { changes, others } = readDetails(entry.details);
  return (
    <div className="audit-entry">
      <Facts facts={factsOf(entry)} />
      {changes.length > 0 && (
        <section aria-labelledby="audit-changes">
          <h3 id="audit-changes" className="audit-section">
            Changes
          </h3>
          <Changes entry={entry} changes={changes} />
        </section>
      )}
      {others.length > 0 && (
        <section aria-labelledby="audit-details">
          <h3 id="audit-details" className="audit-section">
            Details
          </h3>
          <Facts facts={others.map(({ name, value }) => ({ name, value }))} />
        </section>
      )}
    </div>
  );
}

function factsOf(entry: AuditEntry): Fact[] {
  const { id, action, subject, at } = entry;
  return [
    { name: 'Row', value: id },
    { name: 'Action', value: formatAction(action) },
    { name: 'Area', value: formatArea(featureOfAction(action)) },
    { name: 'Code', value: <code className="audit-code">{action}</code> },
    { name: 'By', value: <Caller entry={entry} /> },
    { name: 'When', value: <Timestamp at={at} /> },
    { name: 'Item', value: <SubjectLink entry={entry} /> },
    ...(subject === null
      ? []
      : [
          {
            name: 'Trail',
            value: (
              <Link to="/dashboard/audit" search={{ subject }} className="audit-link">
                All rows about this item
              </Link>
            ),
          },
        ]),
  ];
}

type ChangesProps = { entry: AuditEntry; changes: ReturnType<typeof readDetails>['changes'] };

/** Before and after, side by side. A row about a new or removed item has only one of the two. */
function Changes({ entry, changes }: ChangesProps) {
  const hasBefore = entry.details['before'] !== undefined;
  const hasAfter = entry.details['after'] !== undefined;
  return (
    <table className="audit-diff">
      <thead>
        <tr>
          <th scope="col">Field</th>
          {hasBefore && <th scope="col">Before</th>}
          {hasAfter && <th scope="col">After</th>}
        </tr>
      </thead>
      <tbody>
        {changes.map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {hasBefore && <td className="audit-before">{before === undefined ? '–' : <del>{before}</del>}</td>}
            {hasAfter && <td className="audit-after">{after === undefined ? '–' : <ins>{after}</ins>}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

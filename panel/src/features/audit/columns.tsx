import type { AuditEntry } from 'contract/audit.ts';
import { featureOfAction, formatAction, formatArea } from '#panel/domain/audit-action.ts';
import { AuditLines } from '#panel/domain/audit-lines.tsx';
import { RowLink } from '#panel/domain/row-link.tsx';
import { SubjectLink } from '#panel/domain/subject-link.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';

const column = columnsOf<AuditEntry>();

export const entryColumns = column.columns([
  column.accessor('action', {
    header: 'Action',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 184 },
    cell: ({ row }) => <OpenEntry entry={row.original} />,
  }),
  column.display({
    id: 'area',
    header: 'Area',
    meta: { width: 128, hidePriority: 3 },
    cell: ({ row }) => formatArea(featureOfAction(row.original.action)),
  }),
  column.accessor('actor', {
    header: 'By',
    enableSorting: false,
    meta: { width: 140, hidePriority: 1, stackOnMobile: true },
    cell: ({ row }) => <Caller entry={row.original} />,
  }),
  column.accessor('subject', {
    header: 'Item',
    enableSorting: false,
    meta: { width: 156, hidePriority: 2, stackOnMobile: true },
    cell: ({ row }) => <SubjectLink entry={row.original} />,
  }),
  column.accessor('details', {
    header: 'Details',
    enableSorting: false,
    meta: { width: 220, flex: true, hidePriority: 4 },
    cell: ({ getValue }) => <AuditLines details={getValue()} atMost={2} />,
  }),
  column.accessor('at', {
    header: 'When',
    enableSorting: false,
    meta: { width: 116, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
]);

function OpenEntry({ entry: { id, action } }: { entry: AuditEntry }) {
  const name = formatAction(action);
  return (
    <RowLink opens="entry" id={id} label={`View row ${id}: ${formatArea(featureOfAction(action))}, ${name}`}>
      {name}
    </RowLink>
  );
}

export function Caller({ entry: { actor, apiKey } }: { entry: Pick<AuditEntry, 'actor' | 'apiKey'> }) {
  if (actor !== null) return actor;
  return apiKey === null ? <span className="audit-quiet">System</span> : `${apiKey} (API key)`;
}

import { type AuditEntry, listAuditEntries } from 'contract/audit.ts';
import type { User } from 'contract/users.ts';
import { call } from '#panel/shell/call.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { AuditLines } from '#panel/domain/audit-lines.tsx';
import { HistoryTable } from './history-table.tsx';

const column = columnsOf<AuditEntry>();

const columns = column.columns([
  column.accessor('action', { header: 'Action', meta: { width: 150 } }),
  column.accessor('details', {
    header: 'Details',
    meta: { width: 160, flex: true },
    cell: ({ getValue }) => <AuditLines details={getValue()} />,
  }),
  column.accessor('actor', {
    header: 'By',
    meta: { width: 150, hidePriority: 1, stackOnMobile: true },
    cell: ({ getValue, row }) => getValue() ?? row.original.apiKey ?? 'the system',
  }),
  column.accessor('at', {
    header: 'When',
    meta: { width: 130, hidePriority: 2, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
]);

const entryId = ({ id }: AuditEntry) => id;

async function fetchPage(subject: string, { cursor, signal }: { cursor: string | undefined; signal: AbortSignal }) {
  const { entries, nextCursor } = await call(listAuditEntries, { querystring: { subject, cursor } }, signal);
  return { entries, olderThan: nextCursor };
}

export function AuditTab({ user }: { user: User }) {
  return (
    <HistoryTable
      label="Audit trail of this user"
      noun={{ one: 'entry', many: 'entries' }}
      columns={columns}
      // Keyed under users, because every change of a user adds an entry.
      queryKey={['users', listAuditEntries.url, user.id]}
      fetchPage={(cursor, signal) => fetchPage(user.id, { cursor, signal })}
      rows={({ entries }) => entries}
      rowId={entryId}
      failed="The audit trail could not be loaded."
      empty={{ title: 'Nothing recorded yet.', line: 'Every change by an administrator appears here.' }}
    />
  );
}

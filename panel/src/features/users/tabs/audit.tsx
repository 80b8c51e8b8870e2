import { type AuditEntry, listAuditEntries } from 'contract/audit.ts';
import type { User } from 'contract/users.ts';
import { call } from '#panel/shell/call.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { formatDetails } from '../audit-text.ts';
import { HistoryTable } from './history-table.tsx';

const column = columnsOf<AuditEntry>();

const columns = column.columns([
  column.accessor('action', { header: 'What', meta: { width: 150 } }),
  column.accessor('details', {
    header: 'Details',
    meta: { width: 160, flex: true },
    cell: ({ getValue }) => <Details lines={formatDetails(getValue())} />,
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

function Details({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="user-details">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

const entryId = ({ seq }: AuditEntry) => seq;

export function AuditTab({ user }: { user: User }) {
  return (
    <HistoryTable
      label="Audit trail of this user"
      noun={{ one: 'entry', many: 'entries' }}
      columns={columns}
      // Keyed under users, because every change of a user adds an entry.
      queryKey={['users', listAuditEntries.url, user.id]}
      fetchPage={(before, signal) => call(listAuditEntries, { querystring: { subject: user.id, before } }, signal)}
      rows={({ entries }) => entries}
      rowId={entryId}
      failed="The audit trail could not be loaded."
      empty={{ title: 'Nothing recorded yet.', line: 'Every change by an administrator appears here.' }}
    />
  );
}

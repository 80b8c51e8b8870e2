import { type User } from 'contract/users.ts';
import { listRankChanges, type RankChange } from 'contract/users-ranks.ts';
import { call } from '#panel/shell/call.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { HistoryTable } from './history-table.tsx';

const column = columnsOf<RankChange>();

const columns = column.columns([
  column.accessor('to', {
    header: 'Rank',
    meta: { width: 170 },
    cell: ({ row: { original } }) => `${original.from} → ${original.to}`,
  }),
  column.accessor('reason', { header: 'Reason', meta: { width: 160, flex: true } }),
  column.accessor('by', {
    header: 'By',
    meta: { width: 200, hidePriority: 1, stackOnMobile: true },
    cell: ({ row: { original } }) =>
      original.approvedBy === null ? original.by : `${original.by} and ${original.approvedBy}`,
  }),
  column.accessor('at', {
    header: 'When',
    meta: { width: 130, hidePriority: 2, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
]);

const changeId = ({ id }: RankChange) => id;

export function RanksTab({ user }: { user: User }) {
  return (
    <HistoryTable
      label="Rank history of this user"
      noun={{ one: 'change of rank', many: 'changes of rank' }}
      columns={columns}
      queryKey={['users', listRankChanges.url, user.id, 'older']}
      fetchPage={(before, signal) => call(listRankChanges, { querystring: { user: user.id, before } }, signal)}
      rows={({ changes }) => changes}
      rowId={changeId}
      failed="The rank history could not be loaded."
      empty={{ title: 'No rank changes yet.', line: 'Promotions appear here with their reason.' }}
    />
  );
}

import type { Withdrawal } from 'contract/withdrawals.ts';
import { WithdrawalState } from '#panel/domain/withdrawal-status.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { amountColumn, userColumn, walletColumn } from './columns.tsx';

const column = columnsOf<Withdrawal>();

/** The columns of the settlement: since when each withdrawal waits, and for whom. */
export const openColumns = column.columns([
  userColumn,
  amountColumn,
  walletColumn,
  column.accessor('status', {
    header: 'Status',
    enableSorting: false,
    meta: { width: 232, hidePriority: 2, stackOnMobile: true },
    cell: ({ row }) => <WithdrawalState withdrawal={row.original} />,
  }),
  column.accessor('mode', {
    header: 'Sent by',
    enableSorting: false,
    meta: { width: 150, hidePriority: 3, stackOnMobile: true },
    cell: ({ row }) => (row.original.mode === 'platform' ? 'The platform' : 'Administrators'),
  }),
  column.accessor('reference', {
    header: 'Reference',
    enableSorting: false,
    meta: { width: 144, hidePriority: 5 },
    cell: ({ getValue }) => {
      const reference = getValue();
      return reference === null ? null : <ShortId id={reference} />;
    },
  }),
  column.accessor((it) => it.unknownAt ?? it.sentAt ?? it.decidedAt ?? it.date, {
    id: 'since',
    header: 'Since',
    enableSorting: false,
    meta: { width: 116, hidePriority: 1, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
  column.accessor('date', {
    header: 'Requested',
    sortDescFirst: true,
    meta: { width: 116, hidePriority: 6 },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
]);

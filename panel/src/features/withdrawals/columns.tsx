import type { Withdrawal } from 'contract/withdrawals.ts';
import { RowLink } from '#panel/domain/row-link.tsx';
import { SignalMarks } from '#panel/domain/withdrawal-signals.tsx';
import { WithdrawalState } from '#panel/domain/withdrawal-status.tsx';
import { Amount, dollars } from '#panel/ui/amount.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { selectColumn } from '#panel/ui/table/selecting.tsx';

const column = columnsOf<Withdrawal>();

export const userColumn = column.accessor('user', {
  header: 'User',
  enableHiding: false,
  enableSorting: false,
  meta: { width: 150, flex: true },
  cell: ({ row }) => <OpenWithdrawal withdrawal={row.original} />,
});

export const amountColumn = column.accessor('amount', {
  header: 'Amount',
  enableHiding: false,
  sortDescFirst: true,
  meta: { width: 124, right: true, amount: ({ amount }: Withdrawal) => dollars(amount) },
  cell: ({ getValue }) => <Amount units={getValue()} asset="USD" />,
});

export const walletColumn = column.accessor('wallet', {
  header: 'Wallet',
  enableSorting: false,
  meta: { width: 144, hidePriority: 4 },
  cell: ({ getValue }) => <ShortId id={getValue()} />,
});

/** The columns without checkboxes, for administrators who may not decide. */
export const historyColumns = column.columns([
  column.accessor('id', {
    header: 'ID',
    enableSorting: false,
    meta: { width: 140, hidePriority: 5 },
    cell: ({ getValue }) => <ShortId id={getValue()} />,
  }),
  userColumn,
  amountColumn,
  walletColumn,
  column.accessor('status', {
    header: 'Status',
    enableSorting: false,
    meta: { width: 232, hidePriority: 1, stackOnMobile: true },
    cell: ({ row }) => <WithdrawalState withdrawal={row.original} />,
  }),
  column.accessor('date', {
    header: 'Date',
    sortDescFirst: true,
    meta: { width: 116, hidePriority: 3, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
  column.accessor('signals', {
    header: 'Signals',
    enableSorting: false,
    meta: { width: 300, hidePriority: 2, stackOnMobile: true },
    cell: ({ getValue }) => <SignalMarks signals={getValue()} />,
  }),
]);

export const withdrawalColumns = [
  selectColumn<Withdrawal>(({ user }) => `Select withdrawal of ${user}`),
  ...historyColumns,
];

function OpenWithdrawal({ withdrawal: { id, user } }: { withdrawal: Withdrawal }) {
  return (
    <RowLink opens="withdrawal" id={id} label={`View withdrawal of ${user}`}>
      {user}
    </RowLink>
  );
}

import type { User } from 'contract/users.ts';
import { listWithdrawals, type Withdrawal } from 'contract/withdrawals.ts';
import { queryFor } from '#panel/shell/query.ts';
import { WithdrawalState } from '#panel/domain/withdrawal-status.tsx';
import { Amount, dollars } from '#panel/ui/amount.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { TabTable } from './tab-table.tsx';

const column = columnsOf<Withdrawal>();

const columns = column.columns([
  column.accessor('wallet', {
    header: 'Wallet',
    meta: { width: 150, flex: true },
    cell: ({ getValue }) => <ShortId id={getValue()} />,
  }),
  column.accessor('status', {
    header: 'Status',
    meta: { width: 232, hidePriority: 1, stackOnMobile: true },
    cell: ({ row }) => <WithdrawalState withdrawal={row.original} />,
  }),
  column.accessor('reason', {
    header: 'Reason',
    meta: { width: 260, hidePriority: 3 },
  }),
  column.accessor('date', {
    header: 'Date',
    meta: { width: 130, hidePriority: 2, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
  column.accessor('amount', {
    header: 'Amount',
    meta: { width: 150, right: true, amount: ({ amount }: Withdrawal) => dollars(amount) },
    cell: ({ getValue }) => <Amount units={getValue()} asset="USD" />,
  }),
]);

const withdrawalSignature = ({ state, waitsUntil }: Withdrawal) => `${state} ${waitsUntil !== null}`;

export function WithdrawalsTab({ user }: { user: User }) {
  return (
    <TabTable
      label="Withdrawals of this user"
      noun={{ one: 'withdrawal', many: 'withdrawals' }}
      columns={columns}
      pageQuery={(page) => queryFor(listWithdrawals, { querystring: { user: user.id, ...page } })}
      rows={({ withdrawals }) => withdrawals}
      signature={withdrawalSignature}
      nothing={`Withdrawals of ${user.username} appear here.`}
    />
  );
}

import { Link } from '@tanstack/react-router';
import { listTransfers, type Transfer, transferTitle } from 'contract/ledger.ts';
import type { User } from 'contract/users.ts';
import { queryFor } from '#panel/shell/query.ts';
import { moneyIn } from '#panel/ui/amount.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { formatDay } from '#panel/ui/time-text.ts';
import { TabTable } from './tab-table.tsx';

const column = columnsOf<Transfer>();

/** The effect of a transfer on the available balance. Other transfers have no sign. */
const signOf = ({ from, to }: Transfer) => (to === 'available' ? '+' : from === 'available' ? '−' : '');

const columns = column.columns([
  column.accessor('kind', {
    header: 'Kind',
    meta: { width: 180, flex: true },
    cell: ({ row: { original: it } }) => (
      <Link to="/dashboard/ledger" search={{ user: it.user?.id, transfer: it.id }} className="table-name">
        {transferTitle(it)}
      </Link>
    ),
  }),
  column.accessor('day', {
    header: 'Day',
    meta: { width: 130, hidePriority: 1, stackOnMobile: true },
    cell: ({ getValue }) => formatDay(getValue()),
  }),
  column.accessor('id', {
    header: 'Reference',
    meta: { width: 190, hidePriority: 2 },
    cell: ({ getValue }) => getValue(),
  }),
  column.accessor('amount', {
    header: 'Amount',
    meta: { width: 170, right: true, amount: moneyIn },
    cell: ({ row: { original: it } }) => (
      <>
        {signOf(it)}
        <AssetAmount {...it} />
      </>
    ),
  }),
]);

const transferSignature = ({ id }: Transfer) => id;

export function LedgerTab({ user }: { user: User }) {
  return (
    <TabTable
      label="Transfers of this user"
      noun={{ one: 'transfer', many: 'transfers' }}
      columns={columns}
      pageQuery={(page) => queryFor(listTransfers, { querystring: { user: user.id, ...page } })}
      rows={({ transfers }) => transfers}
      signature={transferSignature}
      nothing={`Transfers of ${user.username} appear here.`}
    />
  );
}

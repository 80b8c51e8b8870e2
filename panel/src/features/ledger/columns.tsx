import { type Transfer, transferTitle } from 'contract/ledger.ts';
import { RowLink } from '#panel/domain/row-link.tsx';
import { moneyIn } from '#panel/ui/amount.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { formatDay } from '#panel/ui/time-text.ts';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { Way } from './way.tsx';

const column = columnsOf<Transfer>();

export const transferColumns = column.columns([
  column.accessor('day', {
    header: 'Day',
    enableSorting: false,
    meta: { width: 124, hidePriority: 2, stackOnMobile: true },
    cell: ({ getValue }) => formatDay(getValue()),
  }),
  column.accessor('kind', {
    header: 'Kind',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 176, flex: true },
    cell: ({ row }) => <OpenTransfer transfer={row.original} />,
  }),
  column.accessor('user', {
    header: 'User',
    enableSorting: false,
    meta: { width: 150, hidePriority: 3, stackOnMobile: true },
    cell: ({ getValue }) => getValue()?.username ?? <span className="ledger-quiet">Platform</span>,
  }),
  column.display({
    id: 'way',
    header: 'Movement',
    meta: { width: 240, hidePriority: 4 },
    cell: ({ row }) => <Way transfer={row.original} />,
  }),
  column.accessor('amount', {
    header: 'Amount',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 160, right: true, amount: moneyIn },
    cell: ({ row }) => <AssetAmount {...row.original} />,
  }),
  column.accessor('postedAt', {
    header: 'Posted',
    enableSorting: false,
    meta: { width: 116, hidePriority: 1 },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
]);

function OpenTransfer({ transfer }: { transfer: Transfer }) {
  const { id } = transfer;
  const name = transferTitle(transfer);
  return (
    <RowLink opens="transfer" id={id} label={`View transfer ${id}: ${name}`}>
      {name}
    </RowLink>
  );
}

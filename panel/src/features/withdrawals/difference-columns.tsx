import { Link } from '@tanstack/react-router';
import type { DifferenceKind, ReconciliationDifference } from 'contract/withdrawals-reconciliation.ts';
import { createContext, use } from 'react';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { Status, type Tone } from '#panel/ui/status.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { useDisabledReason } from './deciding.tsx';

export const differenceKinds: Record<DifferenceKind, { name: string; tone: Tone }> = {
  missing: { name: 'Missing from the list', tone: 'waiting' },
  unexpected: { name: 'Unexpected', tone: 'bad' },
  amount: { name: 'Amount differs', tone: 'bad' },
  wallet: { name: 'Wallet differs', tone: 'bad' },
};

/** What the rows can do, given by the page. */
export const DifferenceActions = createContext({ close: (_difference: ReconciliationDifference) => {} });

const column = columnsOf<ReconciliationDifference>();

export const differenceColumns = column.columns([
  column.accessor('kind', {
    header: 'Difference',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 176, flex: true },
    cell: ({ getValue }) => {
      const { name, tone } = differenceKinds[getValue()];
      return <Status tone={tone}>{name}</Status>;
    },
  }),
  column.accessor('reference', {
    header: 'Reference',
    enableSorting: false,
    meta: { width: 144, hidePriority: 3, stackOnMobile: true },
    cell: ({ getValue }) => {
      const reference = getValue();
      return reference === null ? null : <ShortId id={reference} />;
    },
  }),
  column.accessor('listedAmount', {
    header: 'In the list',
    enableSorting: false,
    meta: { width: 150, right: true, hidePriority: 1 },
    cell: ({ getValue }) => formatOptional(getValue()),
  }),
  column.accessor(({ withdrawal }) => withdrawal?.amount ?? null, {
    id: 'ours',
    header: 'In Bursar',
    enableSorting: false,
    meta: { width: 150, right: true, hidePriority: 2 },
    cell: ({ getValue }) => formatOptional(getValue()),
  }),
  column.accessor('withdrawal', {
    header: 'Withdrawal',
    enableSorting: false,
    meta: { width: 150, hidePriority: 4, stackOnMobile: true },
    cell: ({ getValue }) => {
      const withdrawal = getValue();
      if (!withdrawal) return null;
      return (
        <Link to="/dashboard/manage-withdraw" search={{ withdrawal: withdrawal.id }} className="withdrawal-link">
          {withdrawal.user}
        </Link>
      );
    },
  }),
  column.accessor((it) => it.listedAt ?? it.withdrawal?.sentAt ?? null, {
    id: 'time',
    header: 'Time',
    enableSorting: false,
    meta: { width: 116, hidePriority: 5 },
    cell: ({ getValue }) => {
      const at = getValue();
      return at && <Timestamp at={at} />;
    },
  }),
  column.display({
    id: 'close',
    header: 'Actions',
    enableHiding: false,
    meta: { width: 104 },
    cell: ({ row }) => <CloseButton difference={row.original} />,
  }),
]);

const formatOptional = (units: bigint | null) => (units === null ? '–' : formatAmount(units, 'USD'));

function CloseButton({ difference }: { difference: ReconciliationDifference }) {
  const { close } = use(DifferenceActions);
  return (
    <Button variant="default" size="compact-sm" disabledReason={useDisabledReason()} onClick={() => close(difference)}>
      Close
    </Button>
  );
}

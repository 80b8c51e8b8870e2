import { Link } from '@tanstack/react-router';
import { runTitle } from 'contract/run-kinds.ts';
import type { ListedRun } from 'contract/runs.ts';
import { Paid, paidMoney, Planned, plannedMoney, formatRecipients } from '#panel/domain/run-outcome.tsx';
import { RunState } from '#panel/domain/run-state.tsx';
import { formatRun, formatPeriod } from '#panel/domain/run-text.ts';
import { Amount, moneyIn } from '#panel/ui/amount.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';

const column = columnsOf<ListedRun>();

const netMoney = ({ net, asset }: ListedRun) => moneyIn({ amount: net, asset });

export const runColumns = column.columns([
  column.accessor('kind', {
    header: 'Job',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 190, flex: true },
    cell: ({ row: { original: run } }) => (
      <Link
        to="/dashboard/runs/$id"
        params={{ id: run.id }}
        className="table-name run-name"
        aria-label={`View run: ${formatRun(run)}`}
      >
        {runTitle(run)}
      </Link>
    ),
  }),
  column.accessor('period', {
    header: 'Period',
    enableSorting: false,
    meta: { width: 216, hidePriority: 3, stackOnMobile: true },
    cell: ({ row }) => formatPeriod(row.original),
  }),
  column.accessor('state', {
    header: 'State',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 138 },
    cell: ({ row }) => <RunState run={row.original} />,
  }),
  column.accessor('lines', {
    header: 'Recipients',
    enableSorting: false,
    meta: { width: 108, right: true, hidePriority: 6 },
    cell: ({ row }) => formatRecipients(row.original),
  }),
  column.accessor('pays', {
    header: 'Planned',
    enableSorting: false,
    meta: { width: 120, right: true, hidePriority: 5, amount: plannedMoney },
    cell: ({ row }) => <Planned run={row.original} />,
  }),
  column.accessor('paid', {
    header: 'Paid',
    enableSorting: false,
    meta: { width: 142, right: true, hidePriority: 1, stackOnMobile: true, amount: paidMoney },
    cell: ({ row }) => <Paid run={row.original} />,
  }),
  column.accessor('net', {
    header: 'Net for period',
    enableSorting: false,
    meta: { width: 128, right: true, hidePriority: 2, stackOnMobile: true, amount: netMoney },
    cell: ({ row: { original } }) => <Net run={original} />,
  }),
  column.accessor('plannedBy', {
    header: 'Planned by',
    enableSorting: false,
    meta: { width: 120, hidePriority: 7 },
    cell: ({ getValue }) => getValue() ?? <span className="run-quiet">The schedule</span>,
  }),
  column.accessor('createdAt', {
    header: 'Created',
    enableSorting: false,
    meta: { width: 112, hidePriority: 4 },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
]);

/** The net amount of the period after all payments and reversals, the same for each of its runs. */
function Net({ run }: { run: ListedRun }) {
  return (
    <>
      <span className="run-net">net </span>
      <Amount {...netMoney(run)} />
    </>
  );
}

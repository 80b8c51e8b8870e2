import { Link } from '@tanstack/react-router';
import type { ListedRun, Run } from 'contract/runs.ts';
import { Paid, paidMoney, Planned, plannedMoney, sayRecipients } from '#panel/shell/run-outcome.tsx';
import { RunState } from '#panel/shell/run-state.tsx';
import { sayJob, sayPeriod } from '#panel/shell/run-words.ts';
import { Moment } from '#panel/ui/moment.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';

const column = columnsOf<ListedRun>();

export const runColumns = column.columns([
  column.accessor('kind', {
    header: 'Job',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 170, grows: true },
    cell: ({ row: { original: run } }) => (
      <Link to="/dashboard/runs/$id" params={{ id: run.id }} className="table-name" aria-label={labelOf(run)}>
        {sayJob(run)}
      </Link>
    ),
  }),
  column.accessor('period', {
    header: 'Period',
    enableSorting: false,
    meta: { width: 200, yields: 3, folds: true },
    cell: ({ row }) => sayPeriod(row.original),
  }),
  column.accessor('state', {
    header: 'State',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 128 },
    cell: ({ getValue }) => <RunState status={getValue()} />,
  }),
  column.accessor('lines', {
    header: 'Recipients',
    enableSorting: false,
    meta: { width: 124, right: true, yields: 5 },
    cell: ({ row }) => sayRecipients(row.original),
  }),
  column.accessor('pays', {
    header: 'Planned',
    enableSorting: false,
    meta: { width: 130, right: true, yields: 2, amount: plannedMoney },
    cell: ({ row }) => <Planned run={row.original} />,
  }),
  column.accessor('paid', {
    header: 'Paid',
    enableSorting: false,
    meta: { width: 130, right: true, yields: 1, folds: true, amount: paidMoney },
    cell: ({ row }) => <Paid run={row.original} />,
  }),
  column.accessor('plannedBy', {
    header: 'Planned by',
    enableSorting: false,
    meta: { width: 120, yields: 6 },
    cell: ({ getValue }) => getValue() ?? <span className="run-quiet">The schedule</span>,
  }),
  column.accessor('createdAt', {
    header: 'Created',
    enableSorting: false,
    meta: { width: 116, yields: 4 },
    cell: ({ getValue }) => <Moment at={getValue()} />,
  }),
]);

const labelOf = (run: Run) => `View run: ${sayJob(run)}, ${sayPeriod(run)}`;

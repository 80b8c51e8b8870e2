import { Link } from '@tanstack/react-router';
import type { Run } from 'contract/runs.ts';
import { RunState } from '#panel/shell/run-state.tsx';
import { sayJob, sayPeriod } from '#panel/shell/run-words.ts';
import { Amount } from '#panel/ui/amount.tsx';
import { Moment } from '#panel/ui/moment.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { sayCount } from '#panel/ui/table/view.ts';
import { paidBy } from './amounts.ts';

const column = columnsOf<Run>();

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
    meta: { width: 216, yields: 2, folds: true },
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
    meta: { width: 112, right: true, yields: 4 },
    cell: ({ row: { original: run } }) => isKnown(run) && sayCount(run.lines - run.skipped),
  }),
  column.accessor('pays', {
    header: 'Amount',
    enableSorting: false,
    meta: { width: 150, right: true, yields: 1, folds: true },
    cell: ({ row: { original: run } }) => isKnown(run) && <Amount units={paidBy(run)} asset={run.asset} />,
  }),
  column.accessor('plannedBy', {
    header: 'Planned by',
    enableSorting: false,
    meta: { width: 130, yields: 5 },
    cell: ({ getValue }) => getValue() ?? <span className="run-quiet">The schedule</span>,
  }),
  column.accessor('createdAt', {
    header: 'Created',
    enableSorting: false,
    meta: { width: 116, yields: 3 },
    cell: ({ getValue }) => <Moment at={getValue()} />,
  }),
]);

/** Until its plan stands, what it comes to is not nothing but unknown. */
const isKnown = ({ planHash }: Run) => planHash !== null;

const labelOf = (run: Run) => `View run: ${sayJob(run)}, ${sayPeriod(run)}`;

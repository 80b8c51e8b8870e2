import { useQuery } from '@tanstack/react-query';
import type { ReportTab } from 'contract/reports.ts';
import { useMemo } from 'react';
import { useListing } from '#panel/domain/listing.tsx';
import { Amount, dollars } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { EmptyState } from '#panel/ui/states.tsx';
import { DataTable } from '#panel/ui/table/data-table.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import type { ChangeView } from '#panel/ui/table/view.ts';
import { reportQuery } from './api.ts';
import { StatusBadge } from './badge.tsx';
import type { ReportRow } from './cells.ts';
import { noFilter } from './filters.tsx';
import { Places } from './places.tsx';
import { filterOf, type ReportsSearch, tabOf } from './search.ts';
import { tabLabels, valueColumns } from './report-text.ts';

const failed = 'Failed to fetch the report';
const noun = { one: 'entry', many: 'entries' };

type Props = { search: ReportsSearch; change: ChangeView };

export function ReportTable({ search, change }: Props) {
  const tab = tabOf(search);
  const query = useQuery(reportQuery(search));
  const firstRow = query.data?.firstRow ?? 1;
  const columns = useMemo(() => reportColumns(tab, firstRow), [tab, firstRow]);
  const { user, status, date } = filterOf(search);
  const narrowed = (user ?? status ?? date) !== undefined;
  return (
    <DataTable
      label={tabLabels[tab]}
      noun={noun}
      columns={columns}
      listing={useListing(query, { rows: ({ rows }) => rows as readonly ReportRow[], failed, change })}
      rowId={rowId}
      signature={rowSignature}
      view={search}
      change={change}
      sortedBy="server"
      bare
      footer={query.data && <Places page={query.data} change={change} />}
      empty={
        <EmptyState
          title="No results found."
          line={narrowed ? 'No row matches these filters.' : 'Rows appear here as soon as there are any.'}
          action={
            narrowed && (
              <Button variant="default" onClick={() => change(noFilter)}>
                Show every row
              </Button>
            )
          }
        />
      }
    />
  );
}

const rowId = ({ id }: ReportRow) => id;
const rowSignature = ({ status }: ReportRow) => status;

const column = columnsOf<ReportRow>();

function reportColumns(tab: ReportTab, firstRow: number) {
  return column.columns([
    column.display({
      id: 'place',
      header: '#',
      meta: { width: 64, hidePriority: 3 },
      cell: ({ row }) => <span className="report-place">{firstRow + row.index}</span>,
    }),
    column.accessor('user', {
      header: 'User',
      enableHiding: false,
      meta: tab === 'task' ? { width: 136, hidePriority: 1, stackOnMobile: true } : { width: 120, flex: true },
      cell: ({ getValue }) => <span className="report-user">{getValue()}</span>,
    }),
    column.display({
      id: tab,
      header: valueColumns[tab],
      enableHiding: false,
      meta: tab === 'task' ? { width: 150, flex: true } : { width: 144, right: true, amount: moneyOf },
      cell: ({ row }) => <Value row={row.original} />,
    }),
    column.accessor('date', {
      header: 'Date',
      meta: { width: 132, hidePriority: 2, stackOnMobile: true },
    }),
    column.accessor('status', {
      header: 'Status',
      meta: { width: 132, hidePriority: 1, stackOnMobile: true },
      cell: ({ getValue }) => <StatusBadge status={getValue()} />,
    }),
  ]);
}

function Value({ row }: { row: ReportRow }) {
  const money = moneyOf(row);
  return money ? <Amount {...money} /> : 'task' in row && row.task;
}

function moneyOf(row: ReportRow) {
  if ('task' in row) return undefined;
  return dollars('stake' in row ? row.stake : row.amount);
}

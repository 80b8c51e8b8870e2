import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { EmptyState } from '#panel/ui/states.tsx';
import { DataTable, type DataTableProps } from '#panel/ui/table/data-table.tsx';
import type { Filter } from '#panel/ui/table/filters.tsx';
import type { Failure } from '#panel/shell/call.ts';
import { useChangeView } from './change-view.ts';
import { type Page, useListing } from './listing.tsx';

type TableProps = 'label' | 'noun' | 'columns' | 'signature' | 'view' | 'defaultSort' | 'open' | 'tools';

type Props<Answered, Row extends { id: string }> = Pick<DataTableProps<Row>, TableProps> & {
  query: UseQueryResult<Answered, Failure>;
  rows: (answered: Answered) => readonly Row[];
  /** The message if the list cannot be loaded. */
  failed: string;
  /** Absent if the list has no text to search. */
  searchLabel?: string;
  filters: readonly Filter[];
  empty: Empty;
};

type Empty = {
  /** The specified text of the empty list. */
  title: string;
  /** The specified text of a search without results, if it differs. */
  narrowedTitle?: string;
  /** When rows will appear. */
  line: string;
  action?: ReactNode;
};

const idOf = ({ id }: { id: string }) => id;

/** The list of a feature. The server searches, filters, sorts and pages it; the view is in the URL. */
export function ListTable<Answered extends Page, Row extends { id: string }>(props: Props<Answered, Row>) {
  const { query, rows, failed, searchLabel, empty, ...table } = props;
  const { noun, view, filters } = table;
  const change = useChangeView();
  const narrowed = view.search !== undefined || filters.some(({ value }) => value !== undefined);
  const clear = () =>
    change({ search: undefined, cursor: undefined, ...Object.fromEntries(filters.map(({ key }) => [key, undefined])) });
  return (
    <DataTable
      {...table}
      listing={useListing(query, { rows, failed, change })}
      rowId={idOf}
      change={change}
      sortedBy="server"
      // The server's index needs words of three letters.
      {...(searchLabel !== undefined && { search: { label: searchLabel, from: 3 } })}
      empty={
        narrowed ? (
          <EmptyState
            title={empty.narrowedTitle ?? empty.title}
            line={`No ${noun.one} matches this search and filter.`}
            action={<ClearButton clear={clear} />}
          />
        ) : (
          <EmptyState title={empty.title} line={empty.line} action={empty.action} />
        )
      }
    />
  );
}

export function ClearButton({ clear }: { clear: () => void }) {
  return (
    <Button variant="default" onClick={clear}>
      Clear search and filter
    </Button>
  );
}

type Statuses<S extends string> = { options: readonly S[]; Mark: ComponentType<{ status: S }> };

export function statusFilter<S extends string>(value: S | undefined, { options, Mark }: Statuses<S>): Filter {
  const choices = options.map((status) => ({ value: status, label: status, mark: <Mark status={status} /> }));
  return { key: 'status', label: 'Status', value, choices };
}

import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Failure } from '#panel/shell/call.ts';
import { useChangeView } from '#panel/domain/change-view.ts';
import { type Page, useListing } from '#panel/domain/listing.tsx';
import { EmptyState } from '#panel/ui/states.tsx';
import { DataTable, type DataTableProps } from '#panel/ui/table/data-table.tsx';
import type { ChangeView } from '#panel/ui/table/view.ts';

const route = getRouteApi('/dashboard/user-profile/$id');

const rowsInTab = 10;

type Theirs = 'label' | 'noun' | 'columns' | 'signature';

type Props<Answered, Row extends { id: string }> = Pick<DataTableProps<Row>, Theirs> & {
  pageQuery: (page: { cursor: string | undefined; limit: number }) => UseQueryOptions<Answered, Failure>;
  rows: (answered: Answered) => readonly Row[];
  /** The text of the empty table. */
  nothing: string;
};

const idOf = ({ id }: { id: string }) => id;

/** The rows that one feature has about this user, in short pages. */
export function TabTable<Answered extends Page, Row extends { id: string }>(props: Props<Answered, Row>) {
  const { pageQuery, rows, nothing, ...table } = props;
  const { many } = table.noun;
  const { cursor } = route.useSearch();
  const changeView = useChangeView();
  // Paging replaces the history entry, so that Back still returns to the list.
  const change: ChangeView = (changed) => changeView(changed, { replace: true });
  const query = useQuery({ ...pageQuery({ cursor, limit: rowsInTab }), placeholderData: keepPreviousData });
  return (
    <DataTable
      bare
      {...table}
      listing={useListing(query, { rows, failed: `The ${many} could not be loaded.`, change })}
      rowId={idOf}
      view={{ cursor }}
      change={change}
      sortedBy="server"
      empty={<EmptyState title={`No ${many} yet.`} line={nothing} />}
    />
  );
}

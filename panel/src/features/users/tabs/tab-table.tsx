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
  ask: (page: { cursor: string | undefined; limit: number }) => UseQueryOptions<Answered, Failure>;
  rows: (answered: Answered) => readonly Row[];
  /** Why there is nothing. */
  nothing: string;
};

const idOf = ({ id }: { id: string }) => id;

/** What one feature knows of this user, a short page at a time. */
export function TabTable<Answered extends Page, Row extends { id: string }>(props: Props<Answered, Row>) {
  const { ask, rows, nothing, ...table } = props;
  const { many } = table.noun;
  const { cursor } = route.useSearch();
  const changeView = useChangeView();
  // Turning the pages of a tab leaves the way back to the list alone.
  const change: ChangeView = (changed) => changeView(changed, { replace: true });
  const query = useQuery({ ...ask({ cursor, limit: rowsInTab }), placeholderData: keepPreviousData });
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

import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { kindNames, type Transfer, TransferKind } from 'contract/ledger.ts';
import { lazy } from 'react';
import { useChangeView } from '#panel/domain/change-view.ts';
import { Days } from '#panel/domain/days.tsx';
import { ListTable } from '#panel/domain/list-table.tsx';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import type { Filter } from '#panel/ui/table/filters.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { Accounts } from './accounts.tsx';
import { AdjustTreasury } from './treasury.tsx';
import { transfersQuery } from './api.ts';
import { transferColumns } from './columns.tsx';
import type { LedgerSearch } from './search.ts';
import './ledger.css';

const route = getRouteApi('/dashboard/ledger');
const noun = { one: 'transfer', many: 'transfers' };

const TransferView = lazy(async () => ({ default: (await import('./transfer-view.tsx')).TransferView }));

export function LedgerPage() {
  const search = route.useSearch();
  const query = useQuery(transfersQuery(search));
  const change = useChangeView();
  const { open, close } = useDetailRoute('transfer', search.transfer);
  return (
    <PageFrame title="Ledger" now={query.data ? formatTotal(query.data.total, noun) : ''} action={<AdjustTreasury />}>
      <Accounts />
      <div className="ledger-list">
        <Days view={search} change={change} />
        <ListTable
          label="Transfers"
          noun={noun}
          columns={transferColumns}
          query={query}
          rows={({ transfers }) => transfers}
          failed="Failed to fetch transfers"
          signature={transferSignature}
          view={search}
          open={open}
          filters={filtersOf(search, query.data?.transfers)}
          empty={{ title: 'No transfers found.', line: 'Every movement of money appears here as it is posted.' }}
        />
      </div>
      <RowDrawer
        title="Transfer"
        View={TransferView}
        id={search.transfer}
        rows={query.data?.transfers}
        onClose={close}
      />
    </PageFrame>
  );
}

const kinds = TransferKind.options.map((kind) => ({ value: kind, label: kindNames[kind] }));

/** The user filter is set on the profile and the days in their own fields. Here they can only be removed. */
function filtersOf({ kind, user, from, to }: LedgerSearch, transfers: readonly Transfer[] | undefined): Filter[] {
  const name = transfers?.find((transfer) => transfer.user?.id === user)?.user?.username;
  return [
    { key: 'kind', label: 'Kind', value: kind, choices: kinds },
    { key: 'user', label: 'User', value: user && (name ?? 'one user'), choices: [] },
    { key: 'from', label: 'From', value: from, choices: [] },
    { key: 'to', label: 'To', value: to, choices: [] },
  ];
}

const transferSignature = ({ id }: Transfer) => id;

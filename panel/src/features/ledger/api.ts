import { keepPreviousData } from '@tanstack/react-query';
import { listTransfers, readBalances, readTransfer } from 'contract/ledger.ts';
import { explainTransfer } from 'contract/runs-payments.ts';
import { queryFor } from '#panel/shell/query.ts';
import type { LedgerSearch } from './search.ts';

/** One page of the list. The previous page stays on the screen while it loads. */
export const transfersQuery = ({ cursor, kind, user, from, to }: LedgerSearch) => ({
  ...queryFor(listTransfers, { querystring: { cursor, kind, user, from, to } }),
  placeholderData: keepPreviousData,
});

export const transferQuery = (id: string) => queryFor(readTransfer, { params: { id } });

export const balancesQuery = queryFor(readBalances, {});

/** Never refetched, because the reason for a transfer does not change. */
export const whyQuery = (id: string) => ({
  ...queryFor(explainTransfer, { params: { transfer: id } }),
  staleTime: Number.POSITIVE_INFINITY,
});

import { keepPreviousData } from '@tanstack/react-query';
import { listTransfers, readBalances, readTransfer } from 'contract/ledger.ts';
import { explainTransfer } from 'contract/runs.ts';
import { queryFor } from '#panel/shell/query.ts';
import type { LedgerSearch } from './search.ts';

/** One page; the page before stays on the screen until it has come. */
export const transfersQuery = ({ cursor, kind, user, from, to }: LedgerSearch) => ({
  ...queryFor(listTransfers, { querystring: { cursor, kind, user, from, to } }),
  placeholderData: keepPreviousData,
});

export const transferQuery = (id: string) => queryFor(readTransfer, { params: { id } });

export const balancesQuery = queryFor(readBalances, {});

/** What a transfer was posted by does not change. */
export const whyQuery = (id: string) => ({
  ...queryFor(explainTransfer, { params: { transfer: id } }),
  staleTime: Number.POSITIVE_INFINITY,
});

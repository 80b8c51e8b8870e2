import { keepPreviousData } from '@tanstack/react-query';
import { listTransfers, readBalances, readTransfer } from 'contract/ledger.ts';
import { asking } from '#panel/shell/query.ts';
import type { LedgerSearch } from './search.ts';

/** One page; the page before stays on the screen until it has come. */
export const transfersQuery = ({ cursor, kind, person, from, to }: LedgerSearch) => ({
  ...asking(listTransfers, { querystring: { cursor, kind, person, from, to } }),
  placeholderData: keepPreviousData,
});

export const transferQuery = (id: string) => asking(readTransfer, { params: { id } });

export const balancesQuery = asking(readBalances, {});

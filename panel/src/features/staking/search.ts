import { Search } from 'contract/core/paging.ts';
import type { StakeSort, StakeStatus } from 'contract/staking.ts';
import { z } from 'zod';
import { inAddress, oneOf, viewSearch } from '#panel/ui/table/view.ts';

export type StakingSearch = z.output<typeof stakingSearch>;
export const stakingSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: oneOf<StakeSort>({ '-date': true, date: true, amount: true, '-amount': true }),
  status: oneOf<StakeStatus>({ Active: true, Completed: true }),
  /** The stake that is open over the list. */
  stake: inAddress(z.uuid()),
});

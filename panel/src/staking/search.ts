import { Search } from 'contract/paging.ts';
import { StakeSort, StakeStatus } from 'contract/staking.ts';
import { z } from 'zod';
import { inAddress, viewSearch } from '#panel/ui/table/view.ts';

export type StakingSearch = z.output<typeof stakingSearch>;
export const stakingSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: inAddress(StakeSort),
  status: inAddress(StakeStatus),
  /** The stake that stands open over the list. */
  stake: inAddress(z.uuid()),
});

import { Search } from 'contract/paging.ts';
import { WithdrawalSort, WithdrawalStatus } from 'contract/withdrawals.ts';
import { z } from 'zod';
import { inAddress, viewSearch } from '#panel/ui/table/view.ts';

export type WithdrawalsSearch = z.output<typeof withdrawalsSearch>;
export const withdrawalsSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: inAddress(WithdrawalSort),
  status: inAddress(WithdrawalStatus),
  /** The withdrawal that stands open over the list. */
  withdrawal: inAddress(z.uuid()),
});

import { Search } from 'contract/core/paging.ts';
import type { OpenState, WithdrawalStatus } from 'contract/withdrawal-states.ts';
import type { WithdrawalSort } from 'contract/withdrawals.ts';
import { z } from 'zod';
import { inAddress, oneOf, viewSearch } from '#panel/ui/table/view.ts';

export type WithdrawalsSearch = z.output<typeof withdrawalsSearch>;
export const withdrawalsSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: oneOf<WithdrawalSort>({ '-date': true, date: true, amount: true, '-amount': true }),
  status: oneOf<WithdrawalStatus>({ Pending: true, Completed: true, Failed: true }),
  /** Only withdrawals that wait for a second approver. */
  approval: oneOf<'waiting'>({ waiting: true }),
  /** The part of the screen; without it, the history. */
  section: oneOf<'settlement' | 'reconciliation'>({ settlement: true, reconciliation: true }),
  /** The group of the settlement; without it, what is not sent yet. */
  open: oneOf<OpenState>({ approved: true, sent: true, unknown: true }),
  /** The withdrawal that is open over the list. */
  withdrawal: inAddress(z.uuid()),
});

import type { ApprovalState } from 'contract/approvals.ts';
import { z } from 'zod';
import { inAddress, oneOf, viewSearch } from '#panel/ui/table/view.ts';

export type ApprovalsSearch = z.output<typeof approvalsSearch>;
export const approvalsSearch = z.object({
  ...viewSearch,
  state: oneOf<ApprovalState>({ waiting: true, approved: true, denied: true, expired: true, void: true }),
  /** Whether the limits are open over the list. */
  limits: inAddress(z.literal('open')),
  /** The request that is open over the list. */
  approval: inAddress(z.uuid()),
});

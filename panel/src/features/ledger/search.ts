import type { TransferKind } from 'contract/ledger.ts';
import { z } from 'zod';
import { inAddress, oneOf, viewSearch } from '#panel/ui/table/view.ts';

export type LedgerSearch = z.output<typeof ledgerSearch>;
export const ledgerSearch = z.object({
  ...viewSearch,
  kind: oneOf<TransferKind>({
    deposit: true,
    stake: true,
    'stake-end': true,
    'stake-base': true,
    'stake-bonus': true,
    'stake-loyalty': true,
    loyalty: true,
    gmp: true,
    referral: true,
    'rank-bonus': true,
    task: true,
    withdrawal: true,
    adjustment: true,
    receivable: true,
    funding: true,
  }),
  user: inAddress(z.uuid()),
  from: inAddress(z.iso.date()),
  to: inAddress(z.iso.date()),
  /** The transfer that is open over the list. */
  transfer: inAddress(z.string().regex(/^\d{8}-\d{1,18}$/)),
});

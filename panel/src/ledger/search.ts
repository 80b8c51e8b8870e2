import { listTransfers, Reference } from 'contract/ledger.ts';
import { z } from 'zod';
import { inAddress, viewSearch } from '#panel/ui/table/view.ts';

const { kind, person, from, to } = listTransfers.querystring.shape;

export type LedgerSearch = z.output<typeof ledgerSearch>;
export const ledgerSearch = z.object({
  ...viewSearch,
  kind: inAddress(kind.unwrap()),
  person: inAddress(person.unwrap()),
  from: inAddress(from.unwrap()),
  to: inAddress(to.unwrap()),
  /** The transfer that stands open over the list. */
  transfer: inAddress(Reference),
});

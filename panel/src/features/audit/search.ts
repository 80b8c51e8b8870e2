import { AuditFilter } from 'contract/audit-filter.ts';
import { z } from 'zod';
import { inAddress, viewSearch } from '#panel/ui/table/view.ts';

const { caller, feature, action, subject, from, to } = AuditFilter.shape;

export type AuditSearch = z.output<typeof auditSearch>;
export const auditSearch = z.object({
  ...viewSearch,
  caller: inAddress(caller),
  feature: inAddress(feature),
  action: inAddress(action),
  subject: inAddress(subject),
  from: inAddress(from),
  to: inAddress(to),
  /** The row that is open over the list. */
  entry: inAddress(z.string().regex(/^\d{1,18}$/)),
});

export const filterOf = (search: AuditSearch): AuditFilter => ({
  caller: search.caller,
  feature: search.feature,
  action: search.action,
  subject: search.subject,
  from: search.from,
  to: search.to,
});

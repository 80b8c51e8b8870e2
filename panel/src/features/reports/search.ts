import { ReportFilter, ReportTab } from 'contract/reports.ts';
import { z } from 'zod';
import { inAddress, viewSearch } from '#panel/ui/table/view.ts';

const { user, status, date } = ReportFilter.shape;

export type ReportsSearch = z.output<typeof reportsSearch>;
export const reportsSearch = z.object({
  cursor: viewSearch.cursor,
  /** Undefined for the first tab. */
  tab: inAddress(ReportTab),
  user: inAddress(user),
  status: inAddress(status),
  date: inAddress(date),
});

export const tabOf = ({ tab = 'withdrawal' }: ReportsSearch): ReportTab => tab;
export const filterOf = (search: ReportsSearch): ReportFilter => ({
  user: search.user,
  status: search.status,
  date: search.date,
});

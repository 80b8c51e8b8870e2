import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Search } from 'contract/core/paging.ts';
import type { ReportFilter } from 'contract/reports.ts';
import { formatTotal } from '#panel/ui/table/view.ts';
import { failedQuery } from './api.ts';

const noun = { one: 'failed withdrawal', many: 'failed withdrawals' };

/** A report lists only Completed and Pending. The notice says how many failed rows it omits, and links to them. */
export function LeftOut({ filter }: { filter: ReportFilter }) {
  const { user, date } = filter;
  const { data } = useQuery(failedQuery({ user, date }));
  if (!data || data.failed.count === 0) return null;
  const { failed } = data;
  const isOne = failed.count === 1 && !failed.capped;
  const narrowed = (user ?? date) !== undefined;
  return (
    <p className="report-left-out">
      {formatTotal(failed, noun)} {narrowed && (isOne ? 'matches these filters and ' : 'match these filters and ')}
      {isOne ? 'is' : 'are'} not in this report.{' '}
      <Link
        to="/dashboard/manage-withdraw"
        // That list needs at least three characters in a search and has no day filter.
        search={{ status: 'Failed', search: Search.safeParse(user).data }}
        className="report-link"
      >
        View failed withdrawals
      </Link>
    </p>
  );
}

import { useQuery } from '@tanstack/react-query';
import { countApprovals } from 'contract/approvals-count.ts';
import { holds } from 'contract/core/permissions.ts';
import { countTickets } from 'contract/tickets-count.ts';
import { readWithdrawalFigures } from 'contract/withdrawals-figures.ts';
import { formatCount } from '#panel/ui/table/view.ts';
import { useMe } from './me.ts';
import type { Destination } from './navigation.ts';
import { queryFor } from './query.ts';

type Count = { count: number; message: string };
export type MenuCounts = ReadonlyMap<Destination['to'], Count>;

/**
 * Returns the number of open items of each menu link, for administrators who can act on them. Each is a query of its
 * feature, so that a change of that feature updates it.
 */
export function useMenuCounts(): MenuCounts {
  const me = useMe();
  const tickets = useQuery({ ...queryFor(countTickets, {}), enabled: holds(me, 'tickets.write') }).data;
  const withdrawals = useQuery({ ...queryFor(readWithdrawalFigures, {}), enabled: holds(me, 'money.prepare') }).data;
  const approvals = useQuery({ ...queryFor(countApprovals, {}), enabled: holds(me, 'money.approve') }).data;
  const counts: [Destination['to'], number | undefined, string][] = [
    ['/dashboard/tickets', tickets?.open, 'open'],
    ['/dashboard/manage-withdraw', withdrawals?.pending.count, 'pending'],
    ['/dashboard/approvals', approvals?.approvable, 'for you to decide'],
  ];
  return new Map(
    counts.flatMap(([to, count, message]) =>
      count ? [[to, { count, message: `${formatCount(count)} ${message}` }] as const] : [],
    ),
  );
}

/** Formats with at most three characters, which is the space beside the longest label. */
export function formatMenuCount(count: number) {
  if (count < 1_000) return String(count);
  return count < 10_000 ? `${Math.floor(count / 1_000)}k+` : '9k+';
}

import { getRouteApi, Link } from '@tanstack/react-router';
import { holds } from 'contract/core/permissions.ts';
import type { User } from 'contract/users.ts';
import { type ComponentType, lazy, Suspense } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { SkeletonLines } from '#panel/ui/states.tsx';
import type { ProfileTab } from './search.ts';
import '#panel/ui/tabs.css';

const route = getRouteApi('/dashboard/user-profile/$id');

type Content = ComponentType<{ user: User }>;

/** The tabs of a profile. Code and rows of a tab load when it is opened. */
const tabs: readonly { key: ProfileTab; label: string; Content: Content }[] = [
  {
    key: 'stakes',
    label: 'Stakes',
    Content: lazy(async () => ({ default: (await import('./tabs/stakes.tsx')).StakesTab })),
  },
  {
    key: 'team',
    label: 'Referral tree',
    Content: lazy(async () => ({ default: (await import('./referral-tree.tsx')).ReferralTree })),
  },
  {
    key: 'withdrawals',
    label: 'Withdrawals',
    Content: lazy(async () => ({ default: (await import('./tabs/withdrawals.tsx')).WithdrawalsTab })),
  },
  {
    key: 'payments',
    label: 'Due and paid',
    Content: lazy(async () => ({ default: (await import('./tabs/payments.tsx')).PaymentsTab })),
  },
  {
    key: 'ledger',
    label: 'Ledger',
    Content: lazy(async () => ({ default: (await import('./tabs/ledger.tsx')).LedgerTab })),
  },
  {
    key: 'tasks',
    label: 'Tasks',
    Content: lazy(async () => ({ default: (await import('./tabs/tasks.tsx')).TasksTab })),
  },
  {
    key: 'tickets',
    label: 'Tickets',
    Content: lazy(async () => ({ default: (await import('./tabs/tickets.tsx')).TicketsTab })),
  },
  {
    key: 'ranks',
    label: 'Rank history',
    Content: lazy(async () => ({ default: (await import('./tabs/ranks.tsx')).RanksTab })),
  },
  {
    key: 'audit',
    label: 'Audit trail',
    Content: lazy(async () => ({ default: (await import('./tabs/audit.tsx')).AuditTab })),
  },
];

export function Related({ user }: { user: User }) {
  const mayReadAudit = holds(useMe(), 'audit.read');
  const offered = tabs.filter(({ key }) => key !== 'audit' || mayReadAudit);
  const { tab = 'stakes' } = route.useSearch();
  const open = offered.find(({ key }) => key === tab) ?? offered[0];
  return (
    <section className="user-related" aria-label="Related to this user">
      <nav className="tabs" aria-label="Related to this user">
        {offered.map(({ key, label }) => (
          <Link
            key={key}
            from="/dashboard/user-profile/$id"
            to="."
            search={{ tab: key }}
            // Replaces the history entry, so that Back returns to the list instead of the previous tab.
            replace
            state
            resetScroll={false}
            className="tab"
            aria-current={key === open?.key ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Suspense key={open?.key} fallback={<SkeletonLines lines={5} />}>
        {open && <open.Content user={user} />}
      </Suspense>
    </section>
  );
}

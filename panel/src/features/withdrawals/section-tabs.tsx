import { getRouteApi, Link } from '@tanstack/react-router';
import type { WithdrawalsSearch } from './search.ts';
import '#panel/ui/tabs.css';

const route = getRouteApi('/dashboard/manage-withdraw');

const sections: { section: WithdrawalsSearch['section']; label: string }[] = [
  { section: undefined, label: 'History' },
  { section: 'settlement', label: 'Settlement' },
  { section: 'reconciliation', label: 'Reconciliation' },
];

/** Switches between the parts of the screen. */
export function SectionTabs() {
  const { section: shown } = route.useSearch();
  return (
    <nav className="tabs" aria-label="Withdrawals">
      {sections.map(({ section, label }) => (
        <Link
          key={label}
          to="/dashboard/manage-withdraw"
          search={section ? { section } : {}}
          // The router would mark the history in every section, because its search is part of all others.
          activeOptions={{ exact: section === undefined }}
          aria-current={section === shown ? 'page' : undefined}
          className="tab"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

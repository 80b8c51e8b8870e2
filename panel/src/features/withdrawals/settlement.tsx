import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { OpenState } from 'contract/withdrawal-states.ts';
import type { Settlement as Sums } from 'contract/withdrawals-settlement.ts';
import type { Withdrawal } from 'contract/withdrawals.ts';
import { ListTable } from '#panel/domain/list-table.tsx';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { formatCount } from '#panel/ui/table/view.ts';
import { openQuery, settlementQuery } from './api.ts';
import { openColumns } from './open-columns.tsx';
import { WithdrawalView } from './withdrawal-view.tsx';

const route = getRouteApi('/dashboard/manage-withdraw');

const groups: Record<OpenState, { title: string; empty: string }> = {
  approved: {
    title: 'Approved, not sent',
    empty: 'Withdrawals appear here when they are approved without a transaction reference.',
  },
  sent: { title: 'Sent, not confirmed', empty: 'Withdrawals appear here when they are sent.' },
  unknown: {
    title: 'Unknown',
    empty: 'Withdrawals appear here when nobody has confirmed them in time. They are never sent again.',
  },
};

/** Approved withdrawals that have not ended, by what is known about them. */
export function Settlement() {
  const search = route.useSearch();
  const open = search.open ?? 'approved';
  const sums = useQuery(settlementQuery);
  useReportedFailure('Failed to fetch the settlement figures', sums);
  const query = useQuery(openQuery(open, search));
  const { open: openRow, close } = useDetailRoute('withdrawal', search.withdrawal);
  return (
    <>
      <Groups chosen={open} sums={sums.data?.settlement} />
      <ListTable
        label={groups[open].title}
        noun={{ one: 'withdrawal', many: 'withdrawals' }}
        columns={openColumns}
        query={query}
        rows={({ withdrawals }) => withdrawals}
        failed="Failed to fetch withdrawals"
        signature={openSignature}
        view={search}
        defaultSort="date"
        open={openRow}
        searchLabel="Search by user"
        filters={[]}
        empty={{ title: 'No withdrawal records found.', line: groups[open].empty }}
      />
      <RowDrawer
        title="Withdrawal"
        View={WithdrawalView}
        id={search.withdrawal}
        rows={query.data?.withdrawals}
        onClose={close}
      />
    </>
  );
}

const openSignature = ({ state, waitsUntil }: Withdrawal) => `${state} ${waitsUntil !== null}`;

/** The three groups with their sums and the age of the oldest. */
function Groups({ chosen, sums }: { chosen: OpenState; sums: Sums | undefined }) {
  return (
    <nav className="settlement-groups" aria-label="Settlement">
      {(Object.keys(groups) as OpenState[]).map((state) => (
        <Link
          key={state}
          to="/dashboard/manage-withdraw"
          search={{ section: 'settlement', open: state }}
          className="card settlement-group"
          aria-current={state === chosen ? 'true' : undefined}
        >
          <span className="settlement-title">{groups[state].title}</span>
          <span className="settlement-count">{sums ? formatCount(sums[state].count) : '–'}</span>
          <span className="withdrawal-quiet">{sums && <GroupNote {...sums[state]} />}</span>
        </Link>
      ))}
    </nav>
  );
}

function GroupNote({ amount, oldest }: Sums['approved']) {
  if (!oldest) return 'None';
  return (
    <>
      {formatAmount(amount, 'USD')}, oldest <Timestamp at={oldest} />
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isOpen } from 'contract/withdrawal-states.ts';
import type { Withdrawal } from 'contract/withdrawals.ts';
import { Trail } from '#panel/domain/trail.tsx';
import { WithdrawalContext } from '#panel/domain/withdrawal-context.tsx';
import { WithdrawalState } from '#panel/domain/withdrawal-status.tsx';
import { Amount } from '#panel/ui/amount.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { withdrawalQuery } from './api.ts';
import { DecideButtons, Undecided } from './deciding.tsx';
import { History } from './history.tsx';
import { SettleButtons } from './settling.tsx';

const failed = 'Failed to fetch the withdrawal';

export function WithdrawalView({ id, known }: RowViewProps<Withdrawal>) {
  const query = useQuery(withdrawalQuery(id));
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data } = query;
  const withdrawal = data?.withdrawal ?? known;
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!withdrawal) return <SkeletonLines lines={8} label="Loading the withdrawal" />;
  return (
    <div className="withdrawal">
      <Request withdrawal={withdrawal} />
      <WithdrawalContext withdrawal={withdrawal} />
      <section aria-labelledby="withdrawal-decision">
        <h3 id="withdrawal-decision" className="withdrawal-section">
          Decision
        </h3>
        <Decision withdrawal={withdrawal} />
      </section>
      <section aria-labelledby="withdrawal-history">
        <h3 id="withdrawal-history" className="withdrawal-section">
          History
        </h3>
        <History withdrawal={withdrawal} />
      </section>
      {!withdrawal.decidedAt && <DecideButtons withdrawal={withdrawal} />}
      {isOpen(withdrawal.state) && <SettleButtons withdrawal={withdrawal} />}
      <Trail feature="withdrawals" subject={withdrawal.id} />
    </div>
  );
}

function Request({ withdrawal: it }: { withdrawal: Withdrawal }) {
  return (
    <Facts
      facts={[
        { name: 'ID', value: <ShortId id={it.id} /> },
        ...(it.platformId === null ? [] : [{ name: 'Platform ID', value: <ShortId id={it.platformId} /> }]),
        {
          name: 'User',
          value: (
            <Link to="/dashboard/user-profile/$id" params={{ id: it.userUuid }} className="withdrawal-link">
              {it.user}
            </Link>
          ),
        },
        { name: 'Amount', value: <Amount units={it.amount} asset="USD" /> },
        { name: 'Wallet', value: <ShortId id={it.wallet} /> },
        { name: 'Status', value: <WithdrawalState withdrawal={{ ...it, waitsUntil: null }} /> },
        ...(it.waitsUntil ? [{ name: 'Approval', value: 'Waiting for second approver' }] : []),
        { name: 'Date', value: <Timestamp at={it.date} /> },
      ]}
    />
  );
}

function Decision({ withdrawal }: { withdrawal: Withdrawal }) {
  const { decidedAt, decidedBy, preparedBy, reason, reference } = withdrawal;
  if (!decidedAt) return <Undecided withdrawal={withdrawal} />;
  return (
    <Facts
      facts={[
        { name: 'Decided', value: <Timestamp at={decidedAt} /> },
        ...(preparedBy === null ? [] : [{ name: 'Requested by', value: preparedBy }]),
        { name: 'Decided by', value: decidedBy ?? 'The platform' },
        ...(reason === null || isOpen(withdrawal.state) ? [] : [{ name: 'Reason', value: reason }]),
        ...(reference === null ? [] : [{ name: 'Reference', value: <ShortId id={reference} /> }]),
      ]}
    />
  );
}

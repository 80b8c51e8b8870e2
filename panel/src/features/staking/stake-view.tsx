import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Stake } from 'contract/staking.ts';
import { Trail } from '#panel/domain/trail.tsx';
import { AlignedAmounts } from '#panel/ui/aligned-amounts.tsx';
import { Amount, dollars } from '#panel/ui/amount.tsx';
import { useNowMs } from '#panel/ui/clock.ts';
import { Facts } from '#panel/ui/facts.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import type { RowViewProps } from '#panel/ui/row-drawer.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatDay } from '#panel/ui/time-text.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { stakeQuery } from './api.ts';
import { StakeStatus } from './stake-status.tsx';
import { daysPassed, earnedADay, formatDays, formatRate } from './plan-text.ts';

const failed = 'Failed to fetch the stake';

export function StakeView({ id, known }: RowViewProps<Stake>) {
  const query = useQuery(stakeQuery(id));
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data } = query;
  const stake = data?.stake ?? known;
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!stake) return <SkeletonLines lines={8} label="Loading the stake" />;
  return (
    <div className="stake">
      <Progress stake={stake} />
      <Terms stake={stake} />
      <Owner stake={stake} />
      <Trail feature="staking" subject={stake.id} />
    </div>
  );
}

function Progress({ stake }: { stake: Stake }) {
  const { days, passed } = daysPassed(stake, useNowMs());
  return (
    <div>
      <div className="stake-progress-text">
        <span>
          {passed} of {formatDays(days)}
        </span>
        <span>{stake.status === 'Active' ? `Ends on ${formatDay(stake.endsOn)}` : 'Completed'}</span>
      </div>
      <progress className="stake-progress-bar" aria-label="Progress of the duration" max={days} value={passed} />
    </div>
  );
}

function Terms({ stake: it }: { stake: Stake }) {
  return (
    <Facts
      facts={[
        { name: 'Stake ID', value: <ShortId id={it.stakeId} /> },
        { name: 'Amount', value: <Amount units={it.amount} asset="USD" /> },
        { name: 'Paid in', value: <Amount units={it.amountSOL} asset="SOL" /> },
        { name: 'Status', value: <StakeStatus status={it.status} /> },
        { name: 'Date', value: <Timestamp at={it.date} /> },
        { name: 'Duration', value: it.duration },
        { name: 'Ends on', value: formatDay(it.endsOn) },
        ...(it.completedAt ? [{ name: 'Completed', value: <Timestamp at={it.completedAt} /> }] : []),
        { name: 'Daily rate', value: formatRate(it.dailyRate) },
        { name: 'A day earns', value: <Amount units={earnedADay(it)} asset="USD" /> },
        { name: 'ID', value: <ShortId id={it.id} /> },
      ]}
    />
  );
}

function Owner({ stake: it }: { stake: Stake }) {
  return (
    <section aria-labelledby="stake-owner">
      <h3 id="stake-owner" className="stake-section">
        User today
      </h3>
      <AlignedAmounts amounts={[it.totalStaked, it.totalDeposit, it.walletBalance, it.totalEarnings].map(dollars)}>
        <Facts
          facts={[
            {
              name: 'User',
              value: (
                <Link to="/dashboard/user-profile/$id" params={{ id: it.userUuid }} className="stake-link">
                  {it.user}
                </Link>
              ),
            },
            { name: 'solWalletAddress', value: <ShortId id={it.solWalletAddress} /> },
            { name: 'totalStaked', value: <Amount units={it.totalStaked} asset="USD" /> },
            { name: 'totalDeposit', value: <Amount units={it.totalDeposit} asset="USD" /> },
            { name: 'walletBalance', value: <Amount units={it.walletBalance} asset="USD" /> },
            { name: 'totalEarnings', value: <Amount units={it.totalEarnings} asset="USD" /> },
          ]}
        />
      </AlignedAmounts>
    </section>
  );
}

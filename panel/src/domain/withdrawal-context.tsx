import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readUser } from 'contract/users.ts';
import { listWithdrawals, type Withdrawal } from 'contract/withdrawals.ts';
import { Amount } from '#panel/ui/amount.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { LoadError, Skeleton, SkeletonLines } from '#panel/ui/states.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { queryFor } from '#panel/shell/query.ts';
import { SignalSentences } from './withdrawal-signals.tsx';
import { WithdrawalState } from './withdrawal-status.tsx';
import './withdrawal-context.css';

/** The information for deciding on a withdrawal. The administrator who requests the approval sees the same. */
export function WithdrawalContext({ withdrawal }: { withdrawal: Withdrawal }) {
  return (
    <>
      <section aria-labelledby="withdrawal-signals">
        <h3 id="withdrawal-signals" className="withdrawal-section">
          Signals
        </h3>
        <SignalSentences signals={withdrawal.signals} />
      </section>
      <section aria-labelledby="withdrawal-figures">
        <h3 id="withdrawal-figures" className="withdrawal-section">
          At the time of the request
        </h3>
        <Facts
          facts={[
            { name: 'Balance', value: <Amount units={withdrawal.balance} asset="USD" /> },
            { name: 'gmpShares', value: <Amount units={withdrawal.gmpShares} asset="SHARE" /> },
            { name: 'prevSLX', value: <Amount units={withdrawal.prevSLX} asset="SLX" /> },
            { name: 'slxPoints', value: <Amount units={withdrawal.slxPoints} asset="SLX" /> },
          ]}
        />
      </section>
      <BalanceNow withdrawal={withdrawal} />
      <History withdrawal={withdrawal} />
    </>
  );
}

function BalanceNow({ withdrawal: { userUuid } }: { withdrawal: Withdrawal }) {
  const query = useQuery(queryFor(readUser, { params: { id: userUuid } }));
  // The server returns no data of a deleted user.
  if (query.error?.code === 'UserNotFound') return <p className="withdrawal-nothing">This user was deleted.</p>;
  if (query.isLoadingError) return <LoadError title="Failed to fetch the balance" query={query} />;
  const user = query.data?.user;
  const money = (units: bigint | undefined) =>
    units === undefined ? <Skeleton width={72} /> : <Amount units={units} asset="USD" />;
  return (
    <section aria-labelledby="withdrawal-balance">
      <h3 id="withdrawal-balance" className="withdrawal-section">
        Now
      </h3>
      <Facts
        facts={[
          { name: 'Available', value: money(user?.available) },
          { name: 'On hold for withdrawals', value: money(user?.withdrawal) },
          { name: 'Total withdrawn', value: money(user?.totalWithdrawals) },
          ...(user?.isBlacklisted ? [{ name: 'Blacklisted', value: user.blacklistReason ?? 'Yes' }] : []),
        ]}
      />
    </section>
  );
}

const shownAtMost = 5;

/** The newest other withdrawals of the user. One more is fetched, because this one may be among them. */
function History({ withdrawal: { id, userUuid } }: { withdrawal: Withdrawal }) {
  const query = useQuery(queryFor(listWithdrawals, { querystring: { user: userUuid, limit: shownAtMost + 1 } }));
  if (query.isLoadingError) return <LoadError title="Failed to fetch the history" query={query} />;
  const others = query.data?.withdrawals.filter((one) => one.id !== id).slice(0, shownAtMost);
  return (
    <section aria-labelledby="withdrawal-others">
      <h3 id="withdrawal-others" className="withdrawal-section">
        Other withdrawals of this user
      </h3>
      {others ? <Others withdrawals={others} /> : <SkeletonLines lines={3} label="Loading the history" />}
      {query.data && others && others.length > 0 && (
        <Link
          to="/dashboard/user-profile/$id"
          params={{ id: userUuid }}
          search={{ tab: 'withdrawals' }}
          className="withdrawal-link"
        >
          View all {formatTotal(query.data.total, { one: 'withdrawal', many: 'withdrawals' })}
        </Link>
      )}
    </section>
  );
}

function Others({ withdrawals }: { withdrawals: readonly Withdrawal[] }) {
  if (withdrawals.length === 0) return <p className="withdrawal-nothing">No other withdrawals.</p>;
  return (
    <ul className="withdrawal-others">
      {withdrawals.map((one) => (
        <li key={one.id}>
          <span className="withdrawal-other-date">
            <Timestamp at={one.date} />
          </span>
          <WithdrawalState withdrawal={one} />
          <ShortId id={one.wallet} />
          <Amount units={one.amount} asset="USD" />
        </li>
      ))}
    </ul>
  );
}

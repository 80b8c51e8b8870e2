import { useQuery } from '@tanstack/react-query';
import { accountNames, Account, type Balance } from 'contract/ledger.ts';
import { AlignedAmounts } from '#panel/ui/aligned-amounts.tsx';
import { moneyIn } from '#panel/ui/amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { Facts } from '#panel/ui/facts.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { balancesQuery } from './api.ts';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';

const failed = 'Failed to fetch the balances';
const ofUsers: readonly Account[] = ['available', 'staked', 'held', 'receivable'];
const ofPlatform = Account.options.filter((account) => !ofUsers.includes(account));

/** The balance of every account. Per asset, both cards together add up to zero. */
export function Accounts() {
  const query = useQuery(balancesQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const balances = query.data?.balances;
  const content = (accounts: readonly Account[]) => {
    if (query.isLoadingError) return <LoadError title={failed} query={query} />;
    if (!balances) return <SkeletonLines lines={accounts.length} label="Loading the balances" />;
    return <Balances accounts={accounts} balances={balances} />;
  };
  return (
    <div className="ledger-accounts">
      <Card title="Platform accounts">{content(ofPlatform)}</Card>
      <Card title="All users">{content(ofUsers)}</Card>
    </div>
  );
}

/** Accounts with a zero balance share one line. */
function Balances({ accounts, balances }: { accounts: readonly Account[]; balances: readonly Balance[] }) {
  const nonZero = balances.filter(({ amount }) => !/^-?[0.]+$/.test(amount));
  const [used, empty] = [true, false].map((isUsed) =>
    accounts.filter((of) => nonZero.some(({ account }) => account === of) === isUsed),
  );
  const facts = (used ?? []).map((of) => ({
    name: accountNames[of],
    value: <Amounts balances={nonZero.filter(({ account }) => account === of)} />,
  }));
  const names = (empty ?? []).map((of) => accountNames[of]).join(', ');
  const nothing = { name: 'Zero balance', value: <span className="ledger-quiet">{names}</span> };
  const shown = nonZero.filter(({ account }) => accounts.includes(account));
  return (
    <AlignedAmounts amounts={shown.map(moneyIn)} named>
      <Facts facts={names === '' ? facts : [...facts, nothing]} />
    </AlignedAmounts>
  );
}

function Amounts({ balances }: { balances: readonly Balance[] }) {
  return (
    <span className="ledger-balances">
      {balances.map((balance) => (
        <AssetAmount key={balance.asset} {...balance} />
      ))}
    </span>
  );
}

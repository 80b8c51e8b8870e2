import { Link } from '@tanstack/react-router';
import type { Asset } from 'contract/core/money.ts';
import type { User } from 'contract/users.ts';
import { AlignedAmounts } from '#panel/ui/aligned-amounts.tsx';
import { Amount, type Money } from '#panel/ui/amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { type Fact, Facts } from '#panel/ui/facts.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import type { Editing } from './editing.ts';
import { type OpenModal, Password, PrivateKey } from './secrets.tsx';
import { ReferralCodeField, RoleField, WalletField } from './inputs.tsx';

type Shown = { user: User; editing: Editing };
type Secrets = { openModal: OpenModal; disabledReason: string | undefined };

const fromBooks = 'From the ledger. Read-only.';
const howSecretsAreKept = 'Encrypted. A Super Admin can see a private key once, after a second approval.';
const fromTree = 'The team is counted from the referral tree.';

export function ProfileFields({ user, editing, secrets }: Shown & { secrets: Secrets }) {
  return (
    <div className="user-groups">
      <Group title="Identity" facts={identity(user)} />
      <Group title="Account" facts={account({ user, editing })} />
      <Group title="Wallets and secrets" facts={wallets({ user, editing, secrets })} hint={howSecretsAreKept} />
      <Group title="Referrals and team" facts={referrals({ user, editing })} hint={fromTree} />
      <MoneyGroup title="Earnings" facts={earnings(user)} hint={fromBooks} />
      <MoneyGroup title="Balances" facts={balances(user)} hint={fromBooks} />
    </div>
  );
}

function Group({ title, facts, hint }: { title: string; facts: readonly Fact[]; hint?: string }) {
  return (
    <Card title={title}>
      <Facts facts={facts} />
      {hint && <p className="user-hint">{hint}</p>}
    </Card>
  );
}

type MoneyFact = Fact & { money: Money };

const money = (name: string, units: bigint, asset: Asset = 'USD'): MoneyFact => ({
  name,
  value: <Amount units={units} asset={asset} />,
  money: { units, asset },
});

/** A group of facts whose values are amounts, aligned in a column. */
function MoneyGroup({ title, facts, hint }: { title: string; facts: readonly MoneyFact[]; hint: string }) {
  return (
    <AlignedAmounts amounts={facts.map((fact) => fact.money)}>
      <Group title={title} facts={facts} hint={hint} />
    </AlignedAmounts>
  );
}

const identity = (user: User): Fact[] => [
  { name: 'ID', value: <ShortId id={user.id} /> },
  { name: 'User ID', value: <ShortId id={user.userId} /> },
  { name: 'Username', value: user.username },
  { name: 'Rank', value: user.rank },
  { name: 'Created at', value: <Timestamp at={user.createdAt} /> },
  { name: 'Updated at', value: <Timestamp at={user.updatedAt} /> },
];

const account = ({ user, editing }: Shown): Fact[] => [
  { name: 'Role', value: editing.active ? <RoleField editing={editing} /> : user.role },
  { name: 'Is blacklisted', value: user.isBlacklisted ? 'yes' : 'no' },
  { name: 'Blacklist reason', value: user.blacklistReason ?? 'none' },
  { name: 'Last active on', value: user.lastActiveOn ?? 'never' },
];

const wallets = ({ user, editing, secrets }: Shown & { secrets: Secrets }): Fact[] => [
  { name: 'Wallet', value: editing.active ? <WalletField editing={editing} /> : <ShortId id={user.wallet} /> },
  { name: 'SOL wallet address', value: <ShortId id={user.solWalletAddress} /> },
  { name: 'SOL private key', value: <PrivateKey user={user} {...secrets} /> },
  { name: 'Password', value: <Password user={user} {...secrets} /> },
  { name: 'Token', value: user.token === 'present' ? 'Active' : 'none' },
];

const referrals = ({ user, editing }: Shown): Fact[] => [
  {
    name: 'Referral code',
    value: editing.active ? (
      <ReferralCodeField editing={editing} />
    ) : (
      <span className="user-id">{user.referralCode}</span>
    ),
  },
  { name: 'Referred by', value: <Sponsor user={user} /> },
  { name: 'Referral count', value: formatCount(user.referralCount) },
  { name: 'Total network', value: formatCount(user.totalNetwork) },
  money('Total team volume SOL', user.totalTeamVolumeSOL, 'SOL'),
  money('Total team volume USD', user.totalTeamVolumeUSD),
];

function Sponsor({ user: { referredBy } }: { user: User }) {
  if (!referredBy) return 'No one';
  const { id, username, isDeleted } = referredBy;
  if (isDeleted) return `${username}, deleted`;
  return (
    <Link to="/dashboard/user-profile/$id" params={{ id }} className="user-link">
      {username}
    </Link>
  );
}

const earnings = (user: User): MoneyFact[] => [
  money('Referral bonus', user.referralBonus),
  money('Weekly rank bonus earnings', user.weeklyRankBonusEarnings),
  money('Total staked earned', user.totalStakedEarned),
  money('Task rewards', user.taskRewards),
  money('Total earnings', user.totalEarnings),
  money('GMP earnings', user.gmpEarnings, 'GMP'),
];

const balances = (user: User): MoneyFact[] => [
  money('Available', user.available),
  ...(user.receivable > 0n ? [money('Receivable', user.receivable)] : []),
  ...(user.receivableGmp > 0n ? [money('Receivable GMP', user.receivableGmp, 'GMP')] : []),
  money('Total staked', user.totalStaked),
  money('Total deposit', user.totalDeposit),
  money('Withdrawal', user.withdrawal),
  money('Total withdrawals', user.totalWithdrawals),
  money('GMP shares', user.gmpShares, 'SLX'),
  money('SLX', user.SLX, 'SLX'),
];

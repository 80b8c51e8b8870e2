import type { Stake } from 'contract/staking.ts';
import { RowLink } from '#panel/domain/row-link.tsx';
import { Amount, dollars } from '#panel/ui/amount.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { StakeStatus } from './stake-status.tsx';

const column = columnsOf<Stake>();

/** A figure of the stake's owner, hidden first when space is limited. */
const ownFigure = (name: 'totalStaked' | 'totalDeposit' | 'walletBalance' | 'totalEarnings', hidePriority: number) =>
  column.accessor(name, {
    header: {
      totalStaked: 'Total Staked',
      totalDeposit: 'Total Deposit',
      walletBalance: 'Wallet Balance',
      totalEarnings: 'Total Earnings',
    }[name],
    enableSorting: false,
    meta: { width: 136, hidePriority, right: true, amount: (stake: Stake) => dollars(stake[name]) },
    cell: ({ getValue }) => <Amount units={getValue()} asset="USD" />,
  });

export const stakeColumns = column.columns([
  column.accessor('stakeId', {
    header: 'Stake ID',
    enableSorting: false,
    meta: { width: 148, hidePriority: 4 },
    cell: ({ getValue }) => <ShortId id={getValue()} />,
  }),
  column.accessor('user', {
    header: 'User',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 160, flex: true },
    cell: ({ row }) => <OpenStake stake={row.original} />,
  }),
  column.accessor('amount', {
    header: 'Amount',
    enableHiding: false,
    sortDescFirst: true,
    meta: { width: 132, right: true, amount: ({ amount }: Stake) => dollars(amount) },
    cell: ({ getValue }) => <Amount units={getValue()} asset="USD" />,
  }),
  column.accessor('date', {
    header: 'Date',
    sortDescFirst: true,
    meta: { width: 124, hidePriority: 3, stackOnMobile: true },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
  column.accessor('duration', {
    header: 'Duration',
    enableSorting: false,
    meta: { width: 104, hidePriority: 2, stackOnMobile: true },
  }),
  column.accessor('status', {
    header: 'Status',
    enableSorting: false,
    meta: { width: 132, hidePriority: 1, stackOnMobile: true },
    cell: ({ getValue }) => <StakeStatus status={getValue()} />,
  }),
  ownFigure('totalStaked', 6),
  ownFigure('totalDeposit', 8),
  ownFigure('walletBalance', 7),
  ownFigure('totalEarnings', 5),
  column.accessor('solWalletAddress', {
    header: 'SOL Wallet Address',
    enableSorting: false,
    meta: { width: 156, hidePriority: 9 },
    cell: ({ getValue }) => <ShortId id={getValue()} />,
  }),
]);

function OpenStake({ stake: { id, stakeId, user } }: { stake: Stake }) {
  return (
    <RowLink opens="stake" id={id} label={`View stake ${stakeId} of ${user}`}>
      {user}
    </RowLink>
  );
}

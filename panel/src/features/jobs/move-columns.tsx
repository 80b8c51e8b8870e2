import { Link } from '@tanstack/react-router';
import type { RankMove } from 'contract/ranks.ts';
import { Amount, dollars, formatAmount } from '#panel/ui/amount.tsx';
import { CheckBox } from '#panel/ui/check-box.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { formatCount } from '#panel/ui/table/view.ts';

export type Selection = { ids: readonly string[]; choose: (ids: readonly string[]) => void };

const column = columnsOf<RankMove>();

/** A stacked column has no header, so each value must be understandable by itself. */
const rest = column.columns([
  column.accessor('username', {
    header: 'User',
    meta: { width: 165, flex: true },
    cell: ({ row: { original } }) => (
      <Link to="/dashboard/user-profile/$id" params={{ id: original.id }} className="jobs-user">
        {original.username}
      </Link>
    ),
  }),
  column.accessor('to', {
    header: 'Rank',
    meta: { width: 140, hidePriority: 1, stackOnMobile: true },
    cell: ({ row: { original } }) => `${original.from} → ${original.to}`,
  }),
  column.accessor('referralCount', {
    header: 'Reached',
    meta: { width: 200, hidePriority: 2, stackOnMobile: true },
    cell: ({ row: { original } }) =>
      `${formatCount(original.referralCount)} direct, ${formatAmount(original.totalTeamVolumeUSD, 'USD')}`,
  }),
  column.accessor('bonusPerDay', {
    header: 'Stake bonus',
    // Wide enough for the amount and "a day".
    meta: {
      width: 165,
      hidePriority: 3,
      stackOnMobile: true,
      right: true,
      amount: ({ bonusPerDay }: RankMove) => dollars(bonusPerDay),
    },
    cell: ({ getValue }) => (
      <>
        <Amount units={getValue()} asset="USD" /> a day
      </>
    ),
  }),
]);

export function moveColumns({ ids, choose }: Selection) {
  const select = column.display({
    id: 'select',
    header: 'Select',
    meta: { width: 64 },
    cell: ({ row: { original } }) => (
      <CheckBox
        label={`Select ${original.username}`}
        labelHidden
        checked={ids.includes(original.id)}
        onToggle={() =>
          choose(ids.includes(original.id) ? ids.filter((id) => id !== original.id) : [...ids, original.id])
        }
      />
    ),
  });
  return [select, ...rest];
}

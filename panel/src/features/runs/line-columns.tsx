import { VisuallyHidden } from '@mantine/core';
import { runKinds } from 'contract/run-kinds.ts';
import { Link } from '@tanstack/react-router';
import type { Run } from 'contract/runs.ts';
import { LineAmount, paidOf } from '#panel/domain/line-amount.tsx';
import { overList } from '#panel/domain/detail-route.ts';
import { LineOutcome } from '#panel/domain/line-outcome.tsx';
import { signedUnits } from '#panel/domain/run-outcome.tsx';
import { moneyIn } from '#panel/ui/amount.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import type { Line } from './api.ts';

const column = columnsOf<Line>();

type OfRun = Pick<Run, 'kind' | 'asset' | 'reverses' | 'state'>;

export function lineColumns(run: OfRun) {
  const { asset, reverses, state } = run;
  const { input, paysForStakes } = runKinds[run.kind];
  return column.columns([
    column.accessor('user', {
      id: 'user',
      header: 'User',
      enableHiding: false,
      sortDescFirst: false,
      meta: { width: 170, flex: true },
      cell: ({ getValue }) => <UserLink user={getValue()} />,
    }),
    ...(paysForStakes ? [stakeId] : []),
    column.accessor('input', {
      header: input.title,
      enableSorting: false,
      meta: {
        width: 140,
        right: true,
        hidePriority: 3,
        amount: (line: Line) => moneyIn({ amount: line.input, asset: input.asset }),
      },
      cell: ({ getValue }) => <AssetAmount amount={getValue()} asset={input.asset} />,
    }),
    column.accessor((line) => paidOf(line, asset), {
      id: 'amount',
      header: amountName({ reverses, done: state === 'completed' }),
      enableHiding: false,
      sortDescFirst: true,
      meta: {
        width: 140,
        right: true,
        amount: (line: Line) => ({ units: signedUnits(paidOf(line, asset), run), asset }),
      },
      cell: ({ row: { original: line } }) => (
        <Link {...overList('line', line.id)} className="table-name">
          <LineAmount run={run} line={line} />
          <VisuallyHidden> why, for {line.user.username}</VisuallyHidden>
        </Link>
      ),
    }),
    ...(paysForStakes ? [setAside(run)] : []),
    column.accessor('skip', {
      header: 'Outcome',
      enableSorting: false,
      meta: { width: 180, hidePriority: 1, stackOnMobile: true },
      cell: ({ row }) => <LineOutcome line={row.original} run={run} />,
    }),
  ]);
}

const stakeId = column.accessor('stakeId', {
  header: 'Stake ID',
  enableSorting: false,
  meta: { width: 148, hidePriority: 2, stackOnMobile: true },
  cell: ({ getValue }) => <ShortId id={getValue() ?? ''} />,
});

const setAside = (run: OfRun) =>
  column.accessor('loyalty', {
    header: run.reverses === null ? 'Set aside' : 'Not set aside',
    enableSorting: false,
    meta: {
      width: 130,
      right: true,
      hidePriority: 4,
      amount: ({ loyalty }: Line) => moneyIn({ amount: loyalty, asset: run.asset }),
    },
    cell: ({ getValue }) => (
      <AssetAmount amount={run.reverses === null ? getValue() : `-${getValue()}`} asset={run.asset} />
    ),
  });

/** Labels an amount that is not posted yet as planned. */
export function amountName({ reverses, done }: Pick<Run, 'reverses'> & { done: boolean }) {
  if (reverses === null) return done ? 'Amount' : 'Planned';
  return done ? 'Reversed' : 'To reverse';
}

type UserLinkProps = { user: Line['user']; className?: string };

/** Shows the username and the user number. */
export function UserLink({ user, className = 'table-name' }: UserLinkProps) {
  return (
    <span className="run-user">
      {user.isDeleted ? (
        <span className="run-quiet">{user.username} (deleted)</span>
      ) : (
        <Link to="/dashboard/user-profile/$id" params={{ id: user.id }} className={className}>
          {user.username}
        </Link>
      )}
      <span className="run-quiet">{user.userId}</span>
    </span>
  );
}

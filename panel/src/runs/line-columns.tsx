import { VisuallyHidden } from '@mantine/core';
import type { RunKind } from 'contract/run-kinds.ts';
import { Link } from '@tanstack/react-router';
import type { Run } from 'contract/runs.ts';
import { overList } from '#panel/shell/opening.ts';
import { Amount, moneyIn } from '#panel/ui/amount.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { paidOf } from './amounts.ts';
import type { Line } from './api.ts';
import { LineOutcome } from './line-outcome.tsx';

const column = columnsOf<Line>();

/** What the amount of a line follows from. */
export const inputNames: Record<RunKind, string> = {
  'stake-payout': 'Stake',
  'gmp-distro': 'Shares',
  'referral-check': 'First stake',
  'rank-bonus': 'Bonus',
};

export const inputAsset = ({ kind, asset }: Pick<Run, 'kind' | 'asset'>) => (kind === 'gmp-distro' ? 'SHARE' : asset);

export function lineColumns(run: Pick<Run, 'kind' | 'asset' | 'reverses' | 'state'>) {
  const { kind, asset, reverses, state } = run;
  return column.columns([
    column.accessor('person', {
      header: 'User',
      enableHiding: false,
      enableSorting: false,
      meta: { width: 150, grows: true },
      cell: ({ getValue }) => <Person person={getValue()} />,
    }),
    column.accessor('input', {
      header: inputNames[kind],
      enableSorting: false,
      meta: {
        width: 150,
        right: true,
        yields: 3,
        amount: ({ input }: Line) => moneyIn({ amount: input, asset: inputAsset(run) }),
      },
      cell: ({ getValue }) => <AssetAmount amount={getValue()} asset={inputAsset(run)} />,
    }),
    column.display({
      id: 'amount',
      header: amountName({ reverses, done: state === 'completed' }),
      enableHiding: false,
      meta: { width: 150, right: true, amount: (line: Line) => ({ units: paidOf(line, asset), asset }) },
      cell: ({ row: { original: line } }) => (
        <Link {...overList('line', line.id)} className="table-name">
          <Amount units={paidOf(line, asset)} asset={asset} />
          <VisuallyHidden> why, for {line.person.username}</VisuallyHidden>
        </Link>
      ),
    }),
    ...(kind === 'stake-payout'
      ? [
          column.accessor('loyalty', {
            header: 'Set aside',
            enableSorting: false,
            meta: {
              width: 130,
              right: true,
              yields: 4,
              amount: ({ loyalty }: Line) => moneyIn({ amount: loyalty, asset }),
            },
            cell: ({ getValue }) => <AssetAmount amount={getValue()} asset={asset} />,
          }),
        ]
      : []),
    column.accessor('skip', {
      header: 'Outcome',
      enableSorting: false,
      meta: { width: 190, yields: 1, folds: true },
      cell: ({ row }) => <LineOutcome line={row.original} state={state} />,
    }),
  ]);
}

/** What is not posted must not read as if it were. */
export function amountName({ reverses, done }: Pick<Run, 'reverses'> & { done: boolean }) {
  if (reverses === null) return done ? 'Amount' : 'Planned';
  return done ? 'Taken back' : 'To take back';
}

type PersonProps = { person: Line['person']; className?: string };

export function Person({ person, className = 'table-name' }: PersonProps) {
  if (person.isDeleted) return <span className="run-quiet">{person.username} (deleted)</span>;
  return (
    <Link to="/dashboard/user-profile/$id" params={{ id: person.id }} className={className}>
      {person.username}
    </Link>
  );
}

import type { Approval } from 'contract/approvals.ts';
import { RowLink } from '#panel/shell/row-link.tsx';
import { Moment } from '#panel/ui/moment.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { ApprovalState } from './approval-state.tsx';

const column = columnsOf<Approval>();

const kindNames: Record<Approval['kind'], string> = {
  withdrawal: 'Withdrawal for',
  adjustment: 'Adjustment for',
  task: 'Task reward for',
  run: 'Run:',
  settings: 'Settings:',
  limit: 'Limit:',
  grant: 'Super Admin:',
  repair: 'Counter repair for',
  plan: 'Stake plan:',
};

const saidOf = ({ facts }: Approval, name: string) => facts.find((fact) => fact.name === name)?.value ?? '';

export const approvalColumns = column.columns([
  column.accessor('kind', {
    header: 'What',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 190, grows: true },
    cell: ({ row }) => <OpenApproval approval={row.original} />,
  }),
  column.display({
    id: 'amount',
    header: 'Amount',
    meta: { width: 150, right: true },
    cell: ({ row }) => <span className="amount">{saidOf(row.original, 'Amount')}</span>,
  }),
  column.accessor('askedBy', {
    header: 'Asked by',
    enableSorting: false,
    meta: { width: 140, yields: 2, folds: true },
    cell: ({ getValue }) => getValue().username,
  }),
  column.accessor('askedAt', {
    header: 'Asked',
    enableSorting: false,
    meta: { width: 116, yields: 4 },
    cell: ({ getValue }) => <Moment at={getValue()} />,
  }),
  column.accessor('state', {
    header: 'State',
    enableSorting: false,
    meta: { width: 124, yields: 1, folds: true },
    cell: ({ getValue }) => <ApprovalState status={getValue()} />,
  }),
  column.accessor('decidedBy', {
    header: 'Decided by',
    enableSorting: false,
    meta: { width: 140, yields: 3 },
    cell: ({ getValue }) => getValue()?.username ?? '',
  }),
]);

/** The first of its facts says whose it is, or which. */
function nameOf({ kind, person, facts: [first] }: Approval) {
  const what = kind === 'adjustment' && person === null ? 'Treasury:' : kindNames[kind];
  return `${what} ${first?.value ?? ''}`;
}

function OpenApproval({ approval }: { approval: Approval }) {
  const name = nameOf(approval);
  return (
    <RowLink opens="approval" id={approval.id} label={`View request: ${name}`}>
      {name}
    </RowLink>
  );
}

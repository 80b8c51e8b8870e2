import type { Approval, ListedApproval } from 'contract/approvals.ts';
import { FactValue } from '#panel/domain/fact-value.tsx';
import { RowLink } from '#panel/domain/row-link.tsx';
import { SignalMarks } from '#panel/domain/withdrawal-signals.tsx';
import { Moment } from '#panel/ui/moment.tsx';
import { columnsOf } from '#panel/ui/table/features.ts';
import { selectColumn } from '#panel/ui/table/selecting.tsx';
import { ApprovalState } from './approval-state.tsx';

const column = columnsOf<ListedApproval>();

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

export const amountOf = ({ facts }: Approval) => facts.find(({ name }) => name === 'Amount');

/** Without boxes, for those who may not decide. */
export const readOnlyColumns = column.columns([
  column.accessor('kind', {
    header: 'What',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 180, grows: true },
    cell: ({ row }) => <OpenApproval approval={row.original} />,
  }),
  column.display({
    id: 'amount',
    header: 'Amount',
    meta: { width: 124, right: true },
    cell: ({ row }) => <AmountOf approval={row.original} />,
  }),
  column.accessor('signals', {
    header: 'Signals',
    enableSorting: false,
    meta: { width: 232, yields: 5, folds: true },
    cell: ({ getValue }) => <SignalMarks signals={getValue()} />,
  }),
  column.accessor('askedBy', {
    header: 'Requested by',
    enableSorting: false,
    meta: { width: 124, yields: 2, folds: true },
    cell: ({ getValue }) => getValue().username,
  }),
  column.accessor('askedAt', {
    header: 'Requested',
    enableSorting: false,
    meta: { width: 116, yields: 4 },
    cell: ({ getValue }) => <Moment at={getValue()} />,
  }),
  column.accessor('state', {
    header: 'State',
    enableSorting: false,
    meta: { width: 128, yields: 1, folds: true },
    cell: ({ getValue }) => <ApprovalState status={getValue()} />,
  }),
  column.accessor('decidedBy', {
    header: 'Decided by',
    enableSorting: false,
    meta: { width: 120, yields: 3 },
    cell: ({ getValue }) => getValue()?.username ?? '',
  }),
]);

export const approvalColumns = [
  selectColumn<ListedApproval>((approval) => `Select request: ${nameOf(approval)}`),
  ...readOnlyColumns,
];

function AmountOf({ approval }: { approval: Approval }) {
  const fact = amountOf(approval);
  return fact ? <FactValue fact={fact} /> : null;
}

/** The first of its facts says whose it is, or which. */
export function nameOf({ kind, person, facts: [first] }: Approval) {
  const what = kind === 'adjustment' && person === null ? 'Treasury:' : kindNames[kind];
  return `${what} ${first?.value ?? ''}`;
}

function OpenApproval({ approval }: { approval: Approval }) {
  const name = nameOf(approval);
  return (
    <RowLink opens="approval" id={approval.id} label={`View request: ${name}`} className="table-name approval-name">
      {name}
    </RowLink>
  );
}

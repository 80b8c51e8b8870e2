import type { Approval, ListedApproval } from 'contract/approvals.ts';
import { findFact } from 'contract/approvals-facts.ts';
import { formatFact, formatRunOf } from '#panel/domain/fact-text.ts';
import { FactValue } from '#panel/domain/fact-value.tsx';
import { RowLink } from '#panel/domain/row-link.tsx';
import { SignalMarks } from '#panel/domain/withdrawal-signals.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
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
  grant: 'Grant Super Admin:',
  repair: 'Counter repair for',
  plan: 'Stake plan:',
  promotion: 'Promotion:',
  demotion: 'Change administrator:',
  removal: 'Delete administrator:',
  account: 'Confirm account:',
  key: 'API key:',
  reveal: 'Private key of',
  recovery: 'Recover administrator:',
};

const amountKeys = ['amount', 'adjustment', 'writeOff', 'limit'];

/** Returns the amount to be moved or the limit to be set. */
export const amountOf = ({ facts }: Approval) => facts.find(({ key }) => amountKeys.includes(key));

/** The columns without checkboxes, for administrators who may not decide. */
export const readOnlyColumns = column.columns([
  column.accessor('kind', {
    header: 'Request',
    enableHiding: false,
    enableSorting: false,
    meta: { width: 180, flex: true },
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
    meta: { width: 232, hidePriority: 5, stackOnMobile: true },
    cell: ({ getValue }) => <SignalMarks signals={getValue()} />,
  }),
  column.accessor('requestedBy', {
    header: 'Requested by',
    enableSorting: false,
    meta: { width: 124, hidePriority: 2, stackOnMobile: true },
    cell: ({ getValue }) => getValue().username,
  }),
  column.accessor('requestedAt', {
    header: 'Requested',
    enableSorting: false,
    meta: { width: 116, hidePriority: 4 },
    cell: ({ getValue }) => <Timestamp at={getValue()} />,
  }),
  column.accessor('state', {
    header: 'State',
    enableSorting: false,
    meta: { width: 128, hidePriority: 1, stackOnMobile: true },
    cell: ({ getValue }) => <ApprovalState status={getValue()} />,
  }),
  column.accessor('decidedBy', {
    header: 'Decided by',
    enableSorting: false,
    meta: { width: 120, hidePriority: 3 },
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

/** "Withdrawal for milancosta", "Run: Stake payout, 14 Nov 2026". */
export function nameOf({ kind, userUuid, facts }: Approval) {
  const what = specialName({ kind, userUuid, facts }) ?? kindNames[kind];
  const run = kind === 'run' ? formatRunOf(facts) : undefined;
  const [first] = facts;
  return `${what} ${run ?? (first ? formatFact(first) : '')}${kind === 'repair' ? ' users' : ''}`;
}

function specialName({ kind, userUuid, facts }: Pick<Approval, 'kind' | 'userUuid' | 'facts'>) {
  if (kind === 'adjustment' && userUuid === null) return 'Treasury:';
  if (findFact(facts, 'writeOff')) return 'Write-off for';
  // A negative amount revokes a reward.
  return kind === 'task' && findFact(facts, 'amount')?.value.startsWith('-') ? 'Revoked task reward of' : undefined;
}

function OpenApproval({ approval }: { approval: Approval }) {
  const name = nameOf(approval);
  return (
    <RowLink opens="approval" id={approval.id} label={`View request: ${name}`} className="table-name approval-name">
      {name}
    </RowLink>
  );
}

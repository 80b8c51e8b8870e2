import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { explainLine } from 'contract/explain.ts';
import { runTitle } from 'contract/run-kinds.ts';
import { listUserPayments, type Payment } from 'contract/runs-payments.ts';
import type { User } from 'contract/users.ts';
import { formatUnpaid } from '#panel/domain/explanation-text.ts';
import { LineAmount, paidOf } from '#panel/domain/line-amount.tsx';
import { LineOutcome } from '#panel/domain/line-outcome.tsx';
import { signedUnits } from '#panel/domain/run-outcome.tsx';
import { formatPeriod, formatRun } from '#panel/domain/run-text.ts';
import { call } from '#panel/shell/call.ts';
import { ShortId } from '#panel/ui/short-id.tsx';
import { formatDay } from '#panel/ui/time-text.ts';
import { columnsOf } from '#panel/ui/table/features.ts';
import { HistoryTable } from './history-table.tsx';

const column = columnsOf<Payment>();

const columns = column.columns([
  column.accessor('run', {
    header: 'Run',
    meta: { width: 140, flex: true },
    cell: ({ getValue }) => (
      <Link
        to="/dashboard/runs/$id"
        params={{ id: getValue().id }}
        className="table-name"
        aria-label={formatRun(getValue())}
      >
        {runTitle(getValue())}
      </Link>
    ),
  }),
  column.accessor(({ run }) => formatPeriod(run), {
    id: 'period',
    header: 'Period',
    meta: { width: 200, hidePriority: 3, stackOnMobile: true },
  }),
  column.accessor(({ line }) => line.stakeId, {
    id: 'stakeId',
    header: 'Stake ID',
    meta: { width: 148, hidePriority: 2, stackOnMobile: true },
    cell: ({ getValue }) => {
      const stakeId = getValue();
      return stakeId === null ? null : <ShortId id={stakeId} />;
    },
  }),
  column.accessor('line', {
    id: 'outcome',
    header: 'Outcome',
    meta: { width: 280, hidePriority: 1, stackOnMobile: true },
    cell: ({ row: { original: payment } }) => <Outcome payment={payment} />,
  }),
  column.accessor(({ line, run }) => paidOf(line, run.asset), {
    id: 'amount',
    header: 'Amount',
    meta: {
      width: 140,
      right: true,
      amount: ({ line, run }: Payment) => ({ units: signedUnits(paidOf(line, run.asset), run), asset: run.asset }),
    },
    cell: ({ row: { original: payment } }) => <WhyLink payment={payment} />,
  }),
]);

/** Beside the outcome are the components that were not paid, because users ask about them. */
function Outcome({ payment }: { payment: Payment }) {
  const { run, line } = payment;
  const unpaid = run.reverses === null ? formatUnpaid(explainLine(payment)) : [];
  return (
    <>
      <LineOutcome line={line} run={run} />
      {unpaid.map((text) => (
        <span key={text} className="user-unpaid">
          {text}
        </span>
      ))}
    </>
  );
}

/** Opens the explanation of the amount beside its run. */
function WhyLink({ payment: { run, line } }: { payment: Payment }) {
  return (
    <Link
      to="/dashboard/runs/$id"
      params={{ id: run.id }}
      search={{ user: line.user.id, line: `${line.user.id}.${line.cause}` }}
      className="table-name"
    >
      {line.skip === null ? <LineAmount run={run} line={line} /> : 'Not paid'}
      <VisuallyHidden>, why, {formatRun(run)}</VisuallyHidden>
    </Link>
  );
}

const paymentId = ({ run, line }: Payment) => `${run.id}.${line.cause}`;

const paymentSignature = ({ run, line }: Payment) => JSON.stringify([run.state, line.skip, line.paid, line.reversed]);

export function PaymentsTab({ user }: { user: User }) {
  return (
    <HistoryTable
      label="Due and paid"
      noun={{ one: 'payment', many: 'payments' }}
      columns={columns}
      queryKey={['runs', listUserPayments.url, user.id]}
      fetchPage={(before, signal) => call(listUserPayments, { querystring: { user: user.id, before } }, signal)}
      rows={({ payments }) => payments}
      rowId={paymentId}
      signature={paymentSignature}
      failed="The payments could not be loaded."
      missing={({ archivedBefore }) =>
        archivedBefore === null ? undefined : `Payments for days before ${formatDay(archivedBefore)} are archived.`
      }
      empty={{ title: 'No payments yet.', line: `Every run that considers ${user.username} appears here.` }}
    />
  );
}

import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { WithdrawalStatus } from 'contract/withdrawal-states.ts';
import type { Withdrawal } from 'contract/withdrawals.ts';
import { lazy, Suspense } from 'react';
import { ListTable, statusFilter } from '#panel/domain/list-table.tsx';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { WithdrawalStatus as StatusMark } from '#panel/domain/withdrawal-status.tsx';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Figures } from '#panel/ui/card.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import { Skeleton, SkeletonLines } from '#panel/ui/states.tsx';
import { SelectionOf } from '#panel/ui/table/selecting.tsx';
import { useSelection } from '#panel/ui/table/selection.ts';
import { formatCount } from '#panel/ui/table/view.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { figuresQuery, withdrawalsQuery } from './api.ts';
import { historyColumns, withdrawalColumns } from './columns.tsx';
import { useDisabledReason } from './deciding.tsx';
import { canBeDecided, DecideSelected } from './selecting.tsx';
import { SectionTabs } from './section-tabs.tsx';
import { SwitchCard } from './switch-card.tsx';
import './withdrawals.css';

const route = getRouteApi('/dashboard/manage-withdraw');
const approvalChoices = [{ value: 'waiting', label: 'Waiting for second approver' }];
const noun = { one: 'withdrawal', many: 'withdrawals' };

// Loaded when they are opened, so that the history loads faster.
const Settlement = lazy(async () => ({ default: (await import('./settlement.tsx')).Settlement }));
const Reconciliation = lazy(async () => ({ default: (await import('./reconciliation.tsx')).Reconciliation }));
const SendingCard = lazy(async () => ({ default: (await import('./settings-form.tsx')).SendingCard }));
const WithdrawalView = lazy(async () => ({ default: (await import('./withdrawal-view.tsx')).WithdrawalView }));

export function WithdrawalsPage() {
  const query = useQuery(figuresQuery);
  useReportedFailure('Failed to fetch the withdrawal figures', query);
  const pending = query.data?.pending;
  const now = pending ? `${formatCount(pending.count)} pending, ${formatAmount(pending.amount, 'USD')}` : '';
  const figure = (label: string, sum: { count: number; amount: bigint } | undefined) => ({
    label,
    value: sum ? formatCount(sum.count) : <Skeleton width={72} height={24} />,
    note: sum ? formatAmount(sum.amount, 'USD') : '\u00A0',
  });
  return (
    <PageFrame title="Withdrawal Management" now={now}>
      <Figures
        figures={[
          figure('Total', query.data?.total),
          figure('Completed', query.data?.completed),
          figure('Pending', query.data?.pending),
          figure('Failed', query.data?.failed),
        ]}
      />
      <SectionTabs />
      <Section />
    </PageFrame>
  );
}

function Section() {
  const { section } = route.useSearch();
  if (section !== undefined) {
    return (
      <Suspense fallback={<SkeletonLines lines={8} />}>
        {section === 'settlement' ? <Settlement /> : <Reconciliation />}
        {section === 'settlement' && <SendingCard />}
      </Suspense>
    );
  }
  return (
    <>
      <SwitchCard />
      <WithdrawalTable />
    </>
  );
}

function WithdrawalTable() {
  const search = route.useSearch();
  const query = useQuery(withdrawalsQuery(search));
  const { open, close } = useDetailRoute('withdrawal', search.withdrawal);
  const selection = useSelection(query.data?.withdrawals, canBeDecided);
  const mayDecide = useDisabledReason() === undefined;
  return (
    <SelectionOf selection={selection}>
      <ListTable
        label="Withdrawal history"
        noun={noun}
        columns={mayDecide ? withdrawalColumns : historyColumns}
        query={query}
        rows={({ withdrawals }) => withdrawals}
        failed="Failed to fetch withdrawals"
        signature={withdrawalSignature}
        view={search}
        defaultSort="-date"
        open={open}
        searchLabel="Search by user"
        filters={[
          statusFilter(search.status, { options: WithdrawalStatus.options, Mark: StatusMark }),
          { key: 'approval', label: 'Approval', value: search.approval, choices: approvalChoices },
        ]}
        empty={{
          title: 'No withdrawal records found.',
          line: 'Withdrawals appear here when users request them.',
        }}
      />
      <RowDrawer
        title="Withdrawal"
        View={WithdrawalView}
        id={search.withdrawal}
        rows={query.data?.withdrawals}
        onClose={close}
      />
      {mayDecide && <DecideSelected {...selection} />}
    </SelectionOf>
  );
}

const withdrawalSignature = ({ state, signals, waitsUntil }: Withdrawal) =>
  JSON.stringify([state, signals, waitsUntil !== null]);

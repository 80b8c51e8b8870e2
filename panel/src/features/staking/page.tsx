import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Stake, StakeStatus } from 'contract/staking.ts';
import { lazy } from 'react';
import { ListTable, statusFilter } from '#panel/domain/list-table.tsx';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Figures } from '#panel/ui/card.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import { Skeleton } from '#panel/ui/states.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { figuresQuery, stakesQuery } from './api.ts';
import { stakeColumns } from './columns.tsx';
import { PlansCard } from './plans-card.tsx';
import { StakeStatus as StatusMark } from './stake-status.tsx';
import './staking.css';

const route = getRouteApi('/dashboard/manage-staking');
const noun = { one: 'stake', many: 'stakes' };

const StakeView = lazy(async () => ({ default: (await import('./stake-view.tsx')).StakeView }));

export function StakingPage() {
  const query = useQuery(figuresQuery);
  useReportedFailure('Failed to fetch the staking figures', query);
  const { data } = query;
  const now = data ? `${formatCount(data.active)} active, ${formatAmount(data.activeStaked, 'USD')}` : '';
  const figure = (label: string, value: string | undefined) => ({
    label,
    value: value ?? <Skeleton width={72} height={24} />,
  });
  return (
    <PageFrame title="Staking Management" now={now}>
      <Figures
        figures={[
          figure('Total stakes', data && formatCount(data.total)),
          figure('Active', data && formatCount(data.active)),
          figure('Completed', data && formatCount(data.completed)),
          figure('Total staked amount', data && formatAmount(data.totalStaked, 'USD')),
        ]}
      />
      <PlansCard />
      <StakeTable />
    </PageFrame>
  );
}

function StakeTable() {
  const search = route.useSearch();
  const query = useQuery(stakesQuery(search));
  const { open, close } = useDetailRoute('stake', search.stake);
  return (
    <>
      <ListTable
        label="Stakes"
        noun={noun}
        columns={stakeColumns}
        query={query}
        rows={({ stakes }) => stakes}
        failed="Failed to fetch stakes"
        signature={stakeSignature}
        view={search}
        defaultSort="-date"
        open={open}
        searchLabel="Search by user"
        filters={[statusFilter(search.status, { options: StakeStatus.options, Mark: StatusMark })]}
        empty={{ title: 'No stakes found.', line: 'Stakes appear here when users place them.' }}
      />
      <RowDrawer title="Stake" View={StakeView} id={search.stake} rows={query.data?.stakes} onClose={close} />
    </>
  );
}

const stakeSignature = ({ status }: Stake) => status;

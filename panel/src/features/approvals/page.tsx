import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ApprovalState, type listApprovals, type ListedApproval } from 'contract/approvals.ts';
import type { Answer } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { lazy } from 'react';
import type { Failure } from '#panel/shell/call.ts';
import { ListTable, statusFilter } from '#panel/domain/list-table.tsx';
import { useMe } from '#panel/shell/me.ts';
import { useDetailRoute } from '#panel/domain/detail-route.ts';
import { Button } from '#panel/ui/button.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { RowDrawer } from '#panel/ui/row-drawer.tsx';
import { RowSteps } from '#panel/ui/row-steps.tsx';
import { SelectionOf } from '#panel/ui/table/selecting.tsx';
import { useSelection } from '#panel/ui/table/selection.ts';
import { formatCount } from '#panel/ui/table/view.ts';
import { approvalsQuery, countQuery } from './api.ts';
import { ApprovalState as StateMark } from './approval-state.tsx';
import { approvalColumns, readOnlyColumns } from './columns.tsx';
import { DecidingFlow, useDecidingFlow } from './deciding-flow.ts';
import { ApproveSelected } from './selecting.tsx';
import './approvals.css';

const route = getRouteApi('/dashboard/approvals');
const noun = { one: 'request', many: 'requests' };

const LimitsView = lazy(async () => ({ default: (await import('./limits.tsx')).LimitsView }));
const ApprovalView = lazy(async () => ({ default: (await import('./approval-view.tsx')).ApprovalView }));

export function ApprovalsPage() {
  const search = route.useSearch();
  const query = useQuery(approvalsQuery(search));
  const count = useQuery(countQuery).data;
  const limits = useDetailRoute('limits', search.limits);
  return (
    <PageFrame
      title="Approvals"
      now={count ? `${formatCount(count.waiting)} waiting, ${formatCount(count.approvable)} for you to decide` : ''}
      action={
        <Button variant="default" onClick={() => limits.open({ id: 'open' })}>
          Limits
        </Button>
      }
    >
      <SingleAdminNotice seconds={query.data?.aloneAfterSeconds} />
      <Requests query={query} />
      <RowDrawer title="Limits" View={LimitsView} id={search.limits} rows={undefined} onClose={limits.close} />
    </PageFrame>
  );
}

/** The kinds that can be approved in bulk. Changes of settings and permissions need their own detail view. */
const payments: readonly ListedApproval['kind'][] = ['withdrawal', 'adjustment', 'task'];
const isSelectable = ({ refusal, kind }: ListedApproval) => refusal === null && payments.includes(kind);

function Requests({ query }: { query: UseQueryResult<Answer<typeof listApprovals>, Failure> }) {
  const search = route.useSearch();
  const rows = query.data?.approvals;
  const selection = useSelection(rows, isSelectable);
  const mayDecide = holds(useMe(), 'money.approve');
  const { open, close, step } = useDetailRoute('approval', search.approval);
  const { flow, ids } = useDecidingFlow({ rows, id: search.approval, step, close });
  return (
    <SelectionOf selection={selection}>
      <ListTable
        label="Requests"
        noun={noun}
        columns={mayDecide ? approvalColumns : readOnlyColumns}
        query={query}
        rows={({ approvals }) => approvals}
        failed="Failed to fetch the requests"
        signature={approvalSignature}
        view={search}
        open={open}
        filters={[
          {
            ...statusFilter(search.state, { options: ApprovalState.options, Mark: StateMark }),
            key: 'state',
            label: 'State',
          },
        ]}
        empty={{
          title: 'Nothing to approve.',
          line: 'Requests appear here: payments above the limit, promotions, changes to reward settings, stake plans, limits and administrators, and repairs of the referral tree.',
        }}
      />
      <DecidingFlow value={flow}>
        <RowDrawer
          title="Request"
          View={ApprovalView}
          id={search.approval}
          rows={rows}
          onClose={close}
          head={search.approval && <RowSteps noun={noun} ids={ids} id={search.approval} onStep={step} />}
        />
      </DecidingFlow>
      {mayDecide && <ApproveSelected {...selection} />}
    </SelectionOf>
  );
}

/** Tells everyone that this installation is configured for a single administrator. */
function SingleAdminNotice({ seconds }: { seconds: number | null | undefined }) {
  if (seconds === null || seconds === undefined) return null;
  const wait = seconds === 0 ? 'immediately' : `after ${Math.ceil(seconds / 60)} min`;
  return (
    <Notice tone="waiting">
      This installation is configured for a single administrator: requests can be approved by the person who made them,{' '}
      {wait}.
    </Notice>
  );
}

const approvalSignature = ({ state, signals }: ListedApproval) => JSON.stringify([state, signals]);

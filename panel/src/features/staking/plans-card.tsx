import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import type { Plan } from 'contract/staking.ts';
import { lazy, Suspense, useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Card } from '#panel/ui/card.tsx';
import { Modal } from '#panel/ui/modal.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { plansQuery, useSetOffered } from './api.ts';
import { formatDays, formatPlan, formatRate, yearlyRate } from './plan-text.ts';

// Loaded on first use, so that the page loads faster.
const PlanForm = lazy(async () => ({ default: (await import('./plan-form.tsx')).PlanForm }));

export function PlansCard() {
  const denied = holds(useMe(), 'jobs.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const [adding, setAdding] = useState(false);
  const close = () => setAdding(false);
  return (
    <Card title="Plans">
      <Plans denied={denied} />
      <div className="plans-foot">
        <p className="plans-note">
          {denied ??
            'Plans apply to new stakes and are offered after a second approval. Existing stakes keep their duration and rate.'}
        </p>
        <Button variant="default" disabledReason={denied} onClick={() => setAdding(true)}>
          Add plan
        </Button>
      </div>
      <Modal title="Add plan" opened={adding} onClose={close}>
        <Suspense fallback={<SkeletonLines lines={4} />}>
          <PlanForm onClose={close} />
        </Suspense>
      </Modal>
    </Card>
  );
}

const failed = 'Failed to fetch the plans';

function Plans({ denied }: { denied: string | undefined }) {
  const query = useQuery(plansQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data } = query;
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!data) return <SkeletonLines lines={3} label="Loading the plans" />;
  return (
    <table className="plans" aria-label="Plans">
      <thead>
        <tr>
          <th scope="col">Duration</th>
          <th scope="col">Daily rate</th>
          <th scope="col">Yearly rate</th>
          <th scope="col">Offered</th>
        </tr>
      </thead>
      <tbody>
        {data.plans.map((plan) => (
          <PlanRow key={plan.id} plan={plan} denied={denied} />
        ))}
      </tbody>
    </table>
  );
}

function PlanRow({ plan, denied }: { plan: Plan; denied: string | undefined }) {
  const { pending, set } = useSetOffered(plan);
  return (
    <tr>
      <td>{formatDays(plan.days)}</td>
      <td>{formatRate(plan.dailyRate)}</td>
      <td>{yearlyRate(plan.dailyRate)}</td>
      <td>
        {plan.waiting ? (
          <Link to="/dashboard/approvals" search={{ approval: plan.waiting.approval }} className="plans-waiting">
            Awaiting approval
          </Link>
        ) : (
          <Switch
            aria-label={`Offer ${formatPlan(plan)}`}
            checked={plan.offered && pending === undefined}
            disabled={denied !== undefined}
            onChange={({ currentTarget }) => pending === undefined && set(currentTarget.checked)}
          />
        )}
      </td>
    </tr>
  );
}

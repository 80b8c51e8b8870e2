import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  createPlan,
  listPlans,
  listStakes,
  type Plan,
  readStake,
  readStakingFigures,
  setPlanOffered,
} from 'contract/staking.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import type { StakingSearch } from './search.ts';
import { formatPlan } from './plan-text.ts';

const everyStakingQuery = { queryKey: ['staking'] } as const;

/** One page of the list. The previous page stays on the screen while it loads. */
export const stakesQuery = ({ cursor, sort, status, search }: StakingSearch) => ({
  ...queryFor(listStakes, { querystring: { cursor, sort, status, search } }),
  placeholderData: keepPreviousData,
});

export const stakeQuery = (id: string) => queryFor(readStake, { params: { id } });

export const figuresQuery = queryFor(readStakingFigures, {});

export const plansQuery = queryFor(listPlans, {});

/** The form shows refusals next to the fields they concern, so there is no error toast. */
export function useCreatePlan({ onCreated }: { onCreated: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(createPlan),
    onSuccess: ({ plan }) => {
      toastSuccess(`Plan added: ${formatPlan(plan)}. Sent to a second approver.`);
      onCreated();
    },
    onSettled: () => queryClient.invalidateQueries(everyStakingQuery),
  });
}

export function useSetOffered({ id }: Plan) {
  const queryClient = useQueryClient();
  const setting = useMutation({
    ...mutationFor(setPlanOffered),
    onSuccess: ({ plan }) => {
      queryClient.setQueryData(
        plansQuery.queryKey,
        (list) => list && { plans: list.plans.map((it) => (it.id === plan.id ? plan : it)) },
      );
      if (plan.waiting) toastSuccess('Sent to a second approver');
      else toastSuccess(`${plan.offered ? 'Offered' : 'No longer offered'}: ${formatPlan(plan)}`);
    },
    onError: (failure, given) => reportFailure('Failed to change the plan', failure, () => setting.mutate(given)),
    onSettled: () => queryClient.invalidateQueries(everyStakingQuery),
  });
  return {
    pending: setting.isPending ? setting.variables.body.offered : undefined,
    set: (offered: boolean) => setting.mutate({ params: { id }, body: { offered } }),
  };
}

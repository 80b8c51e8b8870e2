import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Endpoint } from 'contract/endpoint.ts';
import { type JobName, readGmpDistribution, readRankBonus, readReferralCheck, readStakePayout } from 'contract/jobs.ts';
import { listRuns, planRun, readSchedule } from 'contract/runs.ts';
import { listRankChanges, promoteUser } from 'contract/users.ts';
import { asking, doing } from '#panel/shell/query.ts';

export const stakePayoutQuery = asking(readStakePayout, {});
export const gmpDistributionQuery = asking(readGmpDistribution, {});
export const referralCheckQuery = asking(readReferralCheck, {});
export const rankBonusQuery = asking(readRankBonus, {});
export const rankChangesQuery = asking(listRankChanges, { querystring: {} });

export const scheduleQuery = asking(readSchedule, {});

/** The one that is under way, if any, is the newest. */
export const latestRunQuery = (kind: JobName) => asking(listRuns, { querystring: { kind, limit: 1 } });

type Means<E extends Endpoint> = { queryKey: QueryKey; onSaved: (answer: Answer<E>) => void };

/** Stores a new version; what refuses it is told in the form. */
export function useSaving<const E extends Endpoint>(endpoint: E, { queryKey, onSaved }: Means<E>) {
  const queryClient = useQueryClient();
  return useMutation({
    ...doing(endpoint),
    onSuccess: (answer) => {
      queryClient.setQueryData(queryKey, answer);
      onSaved(answer);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['jobs'] }),
  });
}

export function usePromoting({ onPromoted }: { onPromoted: (answer: Answer<typeof promoteUser>) => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...doing(promoteUser),
    onSuccess: onPromoted,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['users'] }),
  });
}

export function usePlanning({ onPlanned }: { onPlanned?: (answer: Answer<typeof planRun>) => void } = {}) {
  const queryClient = useQueryClient();
  return useMutation({
    ...doing(planRun),
    onSuccess: (answer) => onPlanned?.(answer),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['runs'] }),
  });
}

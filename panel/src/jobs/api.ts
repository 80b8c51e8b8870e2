import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Endpoint } from 'contract/endpoint.ts';
import { readGmpDistribution, readRankBonus, readReferralCheck, readStakePayout } from 'contract/jobs.ts';
import { listRankChanges, promoteUser } from 'contract/users.ts';
import { asking, doing } from '#panel/shell/query.ts';

export const stakePayoutQuery = asking(readStakePayout, {});
export const gmpDistributionQuery = asking(readGmpDistribution, {});
export const referralCheckQuery = asking(readReferralCheck, {});
export const rankBonusQuery = asking(readRankBonus, {});
export const rankChangesQuery = asking(listRankChanges, { querystring: {} });

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

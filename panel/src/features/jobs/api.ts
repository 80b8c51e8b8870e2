import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Endpoint } from 'contract/core/endpoint.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { readGmpDistribution } from 'contract/jobs-gmp-distro.ts';
import { readRankBonus } from 'contract/jobs-rank-bonus.ts';
import { readRankThresholds } from 'contract/jobs-rank-promotion.ts';
import { readReferralCheck } from 'contract/jobs-referral-check.ts';
import { readStakePayout } from 'contract/jobs-stake-payout.ts';

export const stakePayoutQuery = queryFor(readStakePayout, {});
export const gmpDistributionQuery = queryFor(readGmpDistribution, {});
export const referralCheckQuery = queryFor(readReferralCheck, {});
export const rankBonusQuery = queryFor(readRankBonus, {});
export const rankThresholdsQuery = queryFor(readRankThresholds, {});

type Deps<E extends Endpoint> = { queryKey: QueryKey; onSaved: (answer: Answer<E>) => void };

/** Stores a new version. The form shows refusals, so there is no error toast. */
export function useSaving<const E extends Endpoint>(endpoint: E, { queryKey, onSaved }: Deps<E>) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(endpoint),
    onSuccess: (answer) => {
      queryClient.setQueryData(queryKey, answer);
      onSaved(answer);
    },
    onSettled: () => {
      // Thresholds, shares and the bonus determine who would be promoted and at what cost.
      void queryClient.invalidateQueries({ queryKey: ['users'] });
      return queryClient.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
}

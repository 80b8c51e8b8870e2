import { keepPreviousData, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Endpoint } from 'contract/endpoint.ts';
import {
  readGmpDistribution,
  readRankBonus,
  readRankThresholds,
  readReferralCheck,
  readStakePayout,
  type RunKind,
} from 'contract/jobs.ts';
import { listRuns, planRun, readSchedule } from 'contract/runs.ts';
import { listRankChanges, listRankMoves, promoteMovers, promoteUser, readRankMoveFigures } from 'contract/users.ts';
import { asking, doing } from '#panel/shell/query.ts';
import { tellFailure } from '#panel/ui/told-failure.ts';

export const stakePayoutQuery = asking(readStakePayout, {});
export const gmpDistributionQuery = asking(readGmpDistribution, {});
export const referralCheckQuery = asking(readReferralCheck, {});
export const rankBonusQuery = asking(readRankBonus, {});
export const rankThresholdsQuery = asking(readRankThresholds, {});
export const rankChangesQuery = asking(listRankChanges, { querystring: {} });

/** One page; the page before stays on the screen until it has come. */
export const rankMovesQuery = (cursor: string | undefined) => ({
  ...asking(listRankMoves, { querystring: { cursor } }),
  placeholderData: keepPreviousData,
});
export const rankMoveFiguresQuery = asking(readRankMoveFigures, {});

export const scheduleQuery = asking(readSchedule, {});

/** The one that is under way, if any, is the newest. */
export const latestRunQuery = (kind: RunKind) => asking(listRuns, { querystring: { kind, limit: 1 } });

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
    onSettled: () => {
      // Thresholds, shares and the bonus say who would be promoted and what that would cost.
      void queryClient.invalidateQueries({ queryKey: ['users'] });
      return queryClient.invalidateQueries({ queryKey: ['jobs'] });
    },
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

export function usePromotingMovers() {
  const queryClient = useQueryClient();
  return useMutation({
    ...doing(promoteMovers),
    onError: (failure) => tellFailure('Nobody was promoted', failure),
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

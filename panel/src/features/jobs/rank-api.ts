import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import { listRankChanges, listRankMoves, promoteMovers, promoteUser, readRankMoveFigures } from 'contract/users.ts';
import { asking, doing } from '#panel/shell/query.ts';
import { tellFailure } from '#panel/ui/told-failure.ts';

export const rankChangesQuery = asking(listRankChanges, { querystring: {} });

/** One page; the page before stays on the screen until it has come. */
export const rankMovesQuery = (cursor: string | undefined) => ({
  ...asking(listRankMoves, { querystring: { cursor } }),
  placeholderData: keepPreviousData,
});
export const rankMoveFiguresQuery = asking(readRankMoveFigures, {});

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

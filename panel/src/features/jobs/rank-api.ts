import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import {
  listRankChanges,
  listRankMoves,
  promoteMovers,
  promoteUser,
  readRankMoveFigures,
} from 'contract/users-ranks.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';

export const rankChangesQuery = queryFor(listRankChanges, { querystring: {} });

/** One page of the list. The previous page stays on the screen while it loads. */
export const rankMovesQuery = (cursor: string | undefined) => ({
  ...queryFor(listRankMoves, { querystring: { cursor } }),
  placeholderData: keepPreviousData,
});
export const rankMoveFiguresQuery = queryFor(readRankMoveFigures, {});

export function usePromoting({ onRequested }: { onRequested: (answer: Answer<typeof promoteUser>) => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(promoteUser),
    onSuccess: onRequested,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['users'] }),
  });
}

export function usePromotingMovers() {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(promoteMovers),
    onError: (failure) => reportFailure('The promotion was not requested', failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['users'] }),
  });
}

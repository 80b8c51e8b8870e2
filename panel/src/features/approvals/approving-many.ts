import { useQueryClient } from '@tanstack/react-query';
import { decideApproval, type ListedApproval } from 'contract/approvals.ts';
import { useState } from 'react';
import { call, Failure } from '#panel/shell/call.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { formatTotal } from '#panel/ui/table/view.ts';
import { refreshDecided } from './api.ts';

type Failed = { approval: ListedApproval; words: string };
type Outcome = { done: number; failed: Failed[] };
type Options = { approvals: readonly ListedApproval[]; onDecided: () => void; onClose: () => void };

const notUnderstood = 'The server answered in a way this page does not understand.';

/** Each is a call of its own, with its own digest: what is refused for one does not touch the others. */
async function approveEach(approvals: readonly ListedApproval[], onProgress: (decided: number) => void) {
  const outcome: Outcome = { done: 0, failed: [] };
  for (const [place, approval] of approvals.entries()) {
    onProgress(place);
    const { id, digest } = approval;
    try {
      await call(decideApproval, { params: { id }, body: { decision: 'approve', digest } });
      outcome.done += 1;
    } catch (cause) {
      outcome.failed.push({ approval, words: cause instanceof Failure ? cause.words : notUnderstood });
      // Nobody is signed in any more: the rest would be refused one by one.
      if (cause instanceof Failure && cause.code === 'SignInRequired') break;
    }
  }
  return outcome;
}

/** Where all are approved a toast says so; where some are not, the outcome stays until it is read. */
export function useApproveMany({ approvals, onDecided, onClose }: Options) {
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState<number>();
  const [outcome, setOutcome] = useState<Outcome>();
  const approve = async () => {
    if (progress !== undefined) return;
    const { done, failed } = await approveEach(approvals, setProgress);
    setProgress(undefined);
    onDecided();
    await refreshDecided(queryClient);
    if (failed.length > 0) return setOutcome({ done, failed });
    toastSuccess(`${formatTotal({ count: done, capped: false }, { one: 'request', many: 'requests' })} approved`);
    onClose();
  };
  return { approve: () => void approve(), progress, outcome };
}

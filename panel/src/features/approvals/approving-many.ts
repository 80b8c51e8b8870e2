import { useQueryClient } from '@tanstack/react-query';
import type { ListedApproval } from 'contract/approvals.ts';
import { useState } from 'react';
import { Failure } from '#panel/shell/call.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { formatTotal } from '#panel/ui/table/view.ts';
import { refreshDecided } from './api.ts';
import { decide } from './signing.ts';

type Failed = { approval: ListedApproval; why: string };
type Outcome = { done: number; failed: Failed[] };
type Options = { approvals: readonly ListedApproval[]; onDecided: () => void; onClose: () => void };

const notUnderstood = 'The server answered in a way this page does not understand.';

/** Sends one call per request with its own digest, so that a refusal does not affect the others. */
async function approveEach(approvals: readonly ListedApproval[], onProgress: (decided: number) => void) {
  const outcome: Outcome = { done: 0, failed: [] };
  for (const [place, approval] of approvals.entries()) {
    onProgress(place);
    const { id, digest } = approval;
    try {
      await decide({ params: { id }, body: { decision: 'approve', digest } });
      outcome.done += 1;
    } catch (cause) {
      outcome.failed.push({ approval, why: cause instanceof Failure ? cause.message : notUnderstood });
      // The session has ended, so every further call would be refused.
      if (cause instanceof Failure && cause.code === 'SignInRequired') break;
    }
  }
  return outcome;
}

/** Shows a toast if all are approved. Otherwise the outcome stays open until the administrator closes it. */
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

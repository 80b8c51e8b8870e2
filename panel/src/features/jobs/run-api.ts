import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import { listRuns, planRun } from 'contract/runs.ts';
import { readSchedule } from 'contract/runs-schedule.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';

export const scheduleQuery = queryFor(readSchedule, {});

/** Reads the newest run of a job, which is the active one if there is any. */
export const latestRunQuery = (kind: RunKind) => queryFor(listRuns, { querystring: { kind, limit: 1 } });

export function usePlanning({ onPlanned }: { onPlanned?: (answer: Answer<typeof planRun>) => void } = {}) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(planRun),
    onSuccess: (answer) => onPlanned?.(answer),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['runs'] }),
  });
}

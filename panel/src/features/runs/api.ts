import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Endpoint, Given } from 'contract/core/endpoint.ts';
import { readMaintenance } from 'contract/maintenance.ts';
import { isMoving } from 'contract/run-states.ts';
import { type LineSort, listRunLines, type RunLine } from 'contract/runs-lines.ts';
import { explainPayment } from 'contract/runs-payments.ts';
import {
  listRuns,
  planRun,
  replan,
  replanUser,
  readCalendar,
  readRun,
  type Run,
  reverseRun,
  startRun,
  steerRun,
} from 'contract/runs.ts';
import { startExport } from 'contract/reports.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { readAmountRange } from './amount-range.ts';
import type { RunSearch, RunsSearch } from './search.ts';

/** One page of the list. The previous page stays on the screen while it loads. */
export const runsQuery = ({ cursor, kind, state }: RunsSearch) => ({
  ...queryFor(listRuns, { querystring: { cursor, kind, state } }),
  placeholderData: keepPreviousData,
});

/** Includes every active run, because each job has at most one and it is among the newest. */
export const newestQuery = queryFor(listRuns, { querystring: { limit: 50 } });

const everyMs = 1_000;

export const runQuery = (id: string) => {
  const query = queryFor(readRun, { params: { id } });
  return {
    ...query,
    // Rate and time left change even without a live update.
    refetchInterval: ({ state: { data } }: { state: { data: Answer<typeof readRun> | undefined } }) =>
      data && isMoving(data.run.state) ? everyMs : (false as const),
  };
};

export type Line = RunLine & { id: string };

export const idOfLine = ({ user, cause }: Pick<RunLine, 'user' | 'cause'>) => `${user.id}.${cause}`;

const withIds = ({ lines, ...page }: Answer<typeof listRunLines>) => ({
  ...page,
  lines: lines.map((line): Line => ({ ...line, id: idOfLine(line) })),
});

/** A reversal shows negative amounts, so sorting by amount is inverted. */
const signedSort = (sort: LineSort | undefined, { reverses }: Pick<Run, 'reverses'>): LineSort | undefined => {
  if (reverses === null || !sort?.endsWith('amount')) return sort;
  return sort === 'amount' ? '-amount' : 'amount';
};

type LinesView = Omit<RunSearch, 'line' | 'columns' | 'density'>;

export const linesQuery = (run: Pick<Run, 'id' | 'reverses'>, { amount, sort, ...view }: LinesView) => {
  const { cursor, skip, user, search } = view;
  const range = amount === undefined ? {} : readAmountRange(amount);
  const querystring = { cursor, skip, user, search, sort: signedSort(sort, run), ...range };
  return {
    ...queryFor(listRunLines, { params: { id: run.id }, querystring }),
    select: withIds,
    placeholderData: keepPreviousData,
  };
};

/** Reads the payments to one user, which usually fit on one page. */
export const linesOfQuery = (id: string, user: string) => ({
  ...queryFor(listRunLines, { params: { id }, querystring: { user, limit: 100 } }),
  select: withIds,
});

export const whyQuery = (id: string, { user, cause }: Pick<RunLine, 'user' | 'cause'>) =>
  queryFor(explainPayment, { params: { id, user: user.id, cause } });

export const calendarQuery = (days: { from: string; to: string }) => ({
  ...queryFor(readCalendar, { querystring: days }),
  placeholderData: keepPreviousData,
});

export const maintenanceQuery = queryFor(readMaintenance, {});

type Deps<E extends Endpoint> = { failed: string; onDone: (answer: Answer<E>, given: Given<E>) => void };

/** Reports a failure in a toast, and refetches the runs after success and failure. */
function useActing<const E extends Endpoint>(endpoint: E, { failed, onDone }: Deps<E>) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(endpoint),
    onSuccess: onDone,
    onError: (failure) => reportFailure(failed, failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['runs'] }),
  });
}

export const useStart = ({ onDone }: { onDone: () => void }) =>
  useActing(startRun, {
    failed: 'Failed to start the run',
    onDone: ({ run: { state } }) => {
      // The page of a refused run shows the reason.
      if (state === 'waiting') toastSuccess('Sent to a second approver');
      else if (state !== 'refused') toastSuccess('Run started');
      onDone();
    },
  });

const done = { pause: 'Run paused', resume: 'Run resumed', retry: 'Trying again', cancel: 'Run canceled' };

export const useRunAction = ({ onDone }: { onDone?: () => void } = {}) => {
  const mutation = useActing(steerRun, {
    failed: 'Failed to change the run',
    onDone: (_, { body: { step } }) => {
      toastSuccess(done[step]);
      onDone?.();
    },
  });
  return {
    runAction: mutation.isPending ? mutation.variables.body.step : undefined,
    steer: (id: string, step: keyof typeof done) => {
      if (!mutation.isPending) mutation.mutate({ params: { id }, body: { step } });
    },
  };
};

export const usePlan = ({ onDone }: { onDone: (id: string) => void }) =>
  useActing(planRun, { failed: 'Failed to plan the run', onDone: ({ run: { id } }) => onDone(id) });

export const useReplan = ({ onDone }: { onDone: (id: string) => void }) =>
  useActing(replan, { failed: 'Failed to plan it again', onDone: ({ run: { id } }) => onDone(id) });

export const useReplanUser = ({ onDone }: { onDone: (id: string) => void }) =>
  useActing(replanUser, { failed: 'Failed to plan it again', onDone: ({ run: { id } }) => onDone(id) });

export const useReverse = ({ onDone }: { onDone: (id: string) => void }) =>
  useActing(reverseRun, {
    failed: 'Failed to plan the reversal',
    onDone: ({ run: { id } }) => {
      toastSuccess('Reversal planned');
      onDone(id);
    },
  });

export const useExportLines = () =>
  useMutation({
    ...mutationFor(startExport),
    onSuccess: () => toastSuccess('The file is being built. Find it under Reports.'),
    onError: (failure) => reportFailure('Failed to start the export', failure),
  });

import { isOver, type RunState } from 'contract/run-states.ts';
import { runKinds } from 'contract/run-kinds.ts';
import type { Run } from 'contract/runs.ts';
import { stateNames } from '#panel/domain/run-state.tsx';

/** The states, most urgent first. */
const order: readonly RunState[] = ['failed', 'running', 'waiting', 'paused', 'planned', 'planning'];

/** "Running: Stake payout. Planned: GMP distribution, Rank bonus" */
export function formatActiveRuns(runs: readonly Pick<Run, 'kind' | 'state'>[]) {
  const live = Map.groupBy(
    runs.filter(({ state }) => !isOver(state)),
    ({ state }) => state,
  );
  if (live.size === 0) return 'No active runs';
  return order
    .filter((state) => live.has(state))
    .map(
      (state) =>
        `${stateNames[state]}: ${live
          .get(state)
          ?.map(({ kind }) => runKinds[kind].title)
          .join(', ')}`,
    )
    .join('. ');
}

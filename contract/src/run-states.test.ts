import { expect, test } from 'vitest';
import { isMoving, isOver, mayStep, RunState, runTransitions, type Step } from './run-states.ts';

const statesIn = (holds: (state: RunState) => boolean) => RunState.options.filter(holds);

test('a state, an event and the presence of a plan determine one next state', () => {
  const causes = runTransitions.flatMap(({ from, event, hasPlan }) =>
    (hasPlan === undefined ? [false, true] : [hasPlan]).map((plan) => `${from} ${event} ${plan}`),
  );
  expect(new Set(causes).size).toBe(causes.length);
});

test('every state can be reached, and a run is over in a state without transitions', () => {
  expect(new Set(runTransitions.map(({ to }) => to))).toEqual(new Set(RunState.options));
  expect(statesIn(isOver)).toEqual(['completed', 'cancelled', 'refused']);
  expect(statesIn(isMoving)).toEqual(['planning', 'running']);
});

test.each<[Step, RunState[]]>([
  ['start', ['planned']],
  ['pause', ['running']],
  ['resume', ['paused']],
  ['retry', ['failed']],
  ['cancel', ['planning', 'planned', 'waiting', 'running', 'paused', 'failed']],
  ['reverse', ['completed', 'cancelled', 'refused']],
])('%s is possible in exactly these states', (step, states) => {
  expect(statesIn((state) => mayStep(step, state))).toEqual(states);
});

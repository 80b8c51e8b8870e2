import { expect, test } from 'vitest';
import { isMoving, isOver, mayStep, RunState, runTransitions, type Step } from './run-states.ts';

const statesIn = (holds: (state: RunState) => boolean) => RunState.options.filter(holds);

test('an event leads from a state to one other, with and without a plan', () => {
  const causes = runTransitions.flatMap(({ from, event, hasPlan }) =>
    (hasPlan === undefined ? [false, true] : [hasPlan]).map((plan) => `${from} ${event} ${plan}`),
  );
  expect(new Set(causes).size).toBe(causes.length);
});

test('every state can be reached, and a run is over where none leads on', () => {
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
])('%s is offered in the states that it leads out of', (step, states) => {
  expect(statesIn((state) => mayStep(step, state))).toEqual(states);
});

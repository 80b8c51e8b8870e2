import { z } from 'zod';

export type RunState = z.output<typeof RunState>;
export const RunState = z.enum([
  'planning',
  'planned',
  'waiting',
  'running',
  'paused',
  'failed',
  'completed',
  'cancelled',
  'refused',
]);

/** What can be done with a run in this state. */
const steps = {
  start: ['planned'],
  pause: ['running'],
  resume: ['paused'],
  retry: ['failed'],
  cancel: ['planning', 'planned', 'waiting', 'running', 'paused', 'failed'],
  reverse: ['completed', 'cancelled', 'refused'],
} as const satisfies Record<string, readonly RunState[]>;

export type Step = keyof typeof steps;

/** The panel greys out by it, and the server refuses by it. */
export const mayStep = (step: Step, state: RunState) => (steps[step] as readonly RunState[]).includes(state);

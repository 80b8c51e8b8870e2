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

/** How many of the payments that a run made were reversed since. */
export type Reversed = z.output<typeof Reversed>;
export const Reversed = z.enum(['none', 'partly', 'fully']);

/** The state that people see and filter by: a run whose payments were reversed is no longer just completed. */
export type ShownState = z.output<typeof ShownState>;
export const ShownState = z.enum([...RunState.options, 'partly-reversed', 'reversed']);

const shownWhenReversed = { partly: 'partly-reversed', fully: 'reversed' } as const;

export const shownState = ({ state, reversed }: { state: RunState; reversed: Reversed }): ShownState =>
  reversed === 'none' ? state : shownWhenReversed[reversed];

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

type Payments = {
  /** The run that this one reverses. */
  reverses: string | null;
  /** Whether it paid anything, to everyone or to the user in question. */
  paid: boolean;
  reversed: Reversed;
};

/** Why the payments of a run that is over cannot be reversed. The panel greys out by it, and the server refuses by it. */
export function refuseReversal({ reverses, paid, reversed }: Payments) {
  if (reverses !== null) return 'ReversalIsFinal' as const;
  if (!paid) return 'NothingToReverse' as const;
  return reversed === 'fully' ? ('AlreadyReversed' as const) : undefined;
}

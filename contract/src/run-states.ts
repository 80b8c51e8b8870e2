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

type Transition = {
  /** Null: there was no run before. */
  from: RunState | null;
  event: string;
  to: RunState;
  who: readonly ('administrator' | 'second approver' | 'schedule' | 'worker' | 'clock')[];
  /** Only for runs that have a plan already, or only for runs that have none. */
  hasPlan?: boolean;
};

/**
 * All transitions of a run. The server and the database (table run_transition) allow no others, and docs/runs.md shows
 * them. 'waiting' is not stored: it is 'planned' with a request that a second approver has not decided yet.
 */
const table = [
  { from: null, event: 'create', to: 'planning', who: ['administrator', 'schedule'] },
  { from: 'planning', event: 'plan finished', to: 'planned', who: ['worker'] },
  { from: 'planning', event: 'planning failed', to: 'failed', who: ['worker'] },
  { from: 'planning', event: 'cancel', to: 'cancelled', who: ['administrator'] },
  { from: 'planned', event: 'start', to: 'running', who: ['administrator', 'schedule'] },
  { from: 'planned', event: 'refuse', to: 'refused', who: ['administrator', 'schedule'] },
  { from: 'planned', event: 'request approval', to: 'waiting', who: ['administrator'] },
  { from: 'planned', event: 'cancel', to: 'cancelled', who: ['administrator'] },
  { from: 'planned', event: 'supersede', to: 'cancelled', who: ['administrator', 'schedule'] },
  { from: 'waiting', event: 'approve', to: 'running', who: ['second approver'] },
  { from: 'waiting', event: 'refuse', to: 'refused', who: ['second approver'] },
  { from: 'waiting', event: 'deny', to: 'planned', who: ['second approver'] },
  { from: 'waiting', event: 'expire', to: 'planned', who: ['clock'] },
  { from: 'waiting', event: 'cancel', to: 'cancelled', who: ['administrator'] },
  { from: 'running', event: 'complete', to: 'completed', who: ['worker'] },
  { from: 'running', event: 'payment failed', to: 'failed', who: ['worker'] },
  { from: 'running', event: 'refuse', to: 'refused', who: ['worker'] },
  { from: 'running', event: 'pause', to: 'paused', who: ['administrator'] },
  { from: 'running', event: 'cancel', to: 'cancelled', who: ['administrator'] },
  { from: 'paused', event: 'resume', to: 'running', who: ['administrator'] },
  { from: 'paused', event: 'cancel', to: 'cancelled', who: ['administrator'] },
  { from: 'failed', event: 'retry', to: 'planning', who: ['administrator'], hasPlan: false },
  { from: 'failed', event: 'retry', to: 'running', who: ['administrator'], hasPlan: true },
  { from: 'failed', event: 'cancel', to: 'cancelled', who: ['administrator'] },
] as const satisfies readonly Transition[];

type Row = (typeof table)[number];
export type RunEvent = Row['event'];
/** The events that start a run: from then on it can move money. */
export type StartEvent = Extract<Row, { from: 'planned' | 'waiting'; to: 'running' }>['event'];

export type RunTransition = Transition & { event: RunEvent };
export const runTransitions: readonly RunTransition[] = table;

/** No transition leads out of the state. */
export const isOver = (state: RunState) => runTransitions.every(({ from }) => from !== state);

/** A worker plans or pays the run, and moves it to its next state. */
export const isMoving = (state: RunState) =>
  runTransitions.some(({ from, who }) => from === state && who.includes('worker'));

/** What an administrator can do with a run. Reversing it creates another run and leaves its own state as it is. */
export type Step = Extract<RunEvent, 'start' | 'pause' | 'resume' | 'retry' | 'cancel'> | 'reverse';

/** The panel greys out by it, and the server refuses by it. */
export const mayStep = (step: Step, state: RunState) =>
  step === 'reverse' ? isOver(state) : runTransitions.some(({ from, event }) => from === state && event === step);

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

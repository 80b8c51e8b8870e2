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

/** How much of what a run paid has been reversed. */
export type Reversed = z.output<typeof Reversed>;
export const Reversed = z.enum(['none', 'partly', 'fully']);

/** The state on the screen and in filters. It tells a reversed run from a completed one. */
export type ShownState = z.output<typeof ShownState>;
export const ShownState = z.enum([...RunState.options, 'partly-reversed', 'reversed']);

const shownWhenReversed = { partly: 'partly-reversed', fully: 'reversed' } as const;

export const shownState = ({ state, reversed }: { state: RunState; reversed: Reversed }): ShownState =>
  reversed === 'none' ? state : shownWhenReversed[reversed];

type Transition = {
  /** Null for the creation of a run. */
  from: RunState | null;
  event: string;
  to: RunState;
  who: readonly ('administrator' | 'second approver' | 'schedule' | 'worker' | 'clock')[];
  /** If set, the transition is only for runs with (true) or without (false) a plan. */
  hasPlan?: boolean;
};

/**
 * All transitions of a run. The server and the database (table run_transition) allow no others, and docs/runs.md shows
 * them. 'waiting' is not stored: it is 'planned' with a pending approval request.
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
/** The events that start a run. After them it can move money. */
export type StartEvent = Extract<Row, { from: 'planned' | 'waiting'; to: 'running' }>['event'];

export type RunTransition = Transition & { event: RunEvent };
export const runTransitions: readonly RunTransition[] = table;

/** Whether the run is finished: no transition leads out of the state. */
export const isOver = (state: RunState) => runTransitions.every(({ from }) => from !== state);

/** Whether a worker is planning or paying the run and will move it to its next state. */
export const isMoving = (state: RunState) =>
  runTransitions.some(({ from, who }) => from === state && who.includes('worker'));

/** What an administrator can do with a run. Reversing it creates another run and leaves its own state as it is. */
export type Step = Extract<RunEvent, 'start' | 'pause' | 'resume' | 'retry' | 'cancel'> | 'reverse';

/** Whether the step is possible. The panel disables its buttons with it, and the server refuses with it. */
export const mayStep = (step: Step, state: RunState) =>
  step === 'reverse' ? isOver(state) : runTransitions.some(({ from, event }) => from === state && event === step);

type Payments = {
  /** The run that this one reverses. */
  reverses: string | null;
  /** Whether the run paid anything: to anyone, or to the user whose payments are to be reversed. */
  paid: boolean;
  reversed: Reversed;
};

/** Returns why a finished run cannot be reversed. The panel disables its button with it; the server refuses with it. */
export function refuseReversal({ reverses, paid, reversed }: Payments) {
  if (reverses !== null) return 'ReversalIsFinal' as const;
  if (!paid) return 'NothingToReverse' as const;
  return reversed === 'fully' ? ('AlreadyReversed' as const) : undefined;
}

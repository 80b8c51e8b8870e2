import {
  isLive,
  type Kind,
  type Model,
  type ModelRank,
  postedLines,
  type Run,
  runOf,
  type Settings,
  type State,
  userOf,
} from './model.ts';
import { payChunk } from './payments.ts';
import { hasUnpaidPeriod, periodToPay, reversedOf, rulesOf, settingsAt } from './periods.ts';
import { planOf } from './rules.ts';

/** A refusal of the product, or null if the model allows the step. */
export type Refused = string | null;

const allowedIn: Record<'start' | 'pause' | 'resume' | 'cancel' | 'reverse', readonly State[]> = {
  start: ['planned'],
  pause: ['running'],
  resume: ['paused'],
  cancel: ['planning', 'planned', 'waiting', 'running', 'paused'],
  reverse: ['completed', 'cancelled'],
};

function refuseStep(run: Run, step: keyof typeof allowedIn): Refused {
  if (allowedIn[step].includes(run.state)) return null;
  return isLive(run) ? 'RunChanged' : 'RunOver';
}

type NewRun = Pick<Run, 'kind' | 'period' | 'day' | 'asOf' | 'settings'> & Partial<Pick<Run, 'reverses' | 'onlyUser'>>;

/**
 * Creates a run of a kind, of which only one may be open. A plan that was not started is superseded. `next` returns the new
 * run, or why there is none; then the plan stays.
 */
function create(model: Model, kind: Kind, next: () => NewRun | string): NewRun | string {
  const open = model.runs.find((run) => run.kind === kind && isLive(run));
  if (open?.state === 'planned') open.state = 'cancelled';
  const created = next();
  if (typeof created === 'string' && open?.state === 'cancelled') open.state = 'planned';
  if (typeof created === 'string') return created;
  return open && isLive(open) ? 'RunUnderWay' : created;
}

/** What happens to the model when the product accepted a step that creates the run `id`. */
export function record(model: Model, id: string, created: NewRun) {
  model.runs.push({
    reverses: null,
    onlyUser: null,
    ...created,
    id,
    state: 'planning',
    hasStarted: false,
    chunks: null,
  });
}

export const plan = (model: Model, kind: Kind) =>
  create(model, kind, () => {
    const saved = settingsAt(model, kind, model.now);
    const due = periodToPay(model, saved);
    return due ? { ...due, ...rulesOf(model, due, saved) } : 'NothingDue';
  });

export function replan(model: Model, id: string) {
  const run = runOf(model, id);
  const isOver = !isLive(run);
  return create(model, run.kind, () =>
    isOver && hasUnpaidPeriod(model, run) ? { ...periodOf(run), ...rulesOf(model, run, run.settings) } : 'NothingDue',
  );
}

export function payAgain(model: Model, id: string, user: string) {
  const run = runOf(model, id);
  return create(model, run.kind, () => {
    if (run.reverses !== null || reversedOf(model, run, user) === 'none') return 'UserNotReversed';
    return { ...periodOf(run), ...rulesOf(model, run, run.settings), onlyUser: user };
  });
}

export function reverse(model: Model, id: string, user: string | null) {
  const run = runOf(model, id);
  const refused = refuseStep(run, 'reverse');
  if (refused) return refused;
  return create(model, run.kind, () => {
    if (run.reverses !== null) return 'ReversalIsFinal';
    const paid = postedLines(run).filter((line) => user === null || line.user === user);
    if (paid.length === 0) return user === null ? 'NothingToReverse' : 'UserNotPaid';
    if (reversedOf(model, run, user ?? undefined) === 'fully')
      return user === null ? 'AlreadyReversed' : 'UserAlreadyReversed';
    return { ...periodOf(run), asOf: run.asOf, settings: run.settings, reverses: id, onlyUser: user };
  });
}

const periodOf = ({ kind, period, day }: Run) => ({ kind, period, day });

/** What a worker does with a run that is being planned. */
export function makePlan(model: Model, id: string) {
  const run = runOf(model, id);
  if (run.state !== 'planning') return;
  run.chunks = planOf(model, run);
  run.state = 'planned';
}

export function start(model: Model, id: string): Refused {
  const run = runOf(model, id);
  const refused = refuseStep(run, 'start');
  if (refused) return refused;
  if (model.isLimited && moves(run)) run.state = 'waiting';
  else startPaying(run);
  return null;
}

const moves = ({ chunks, reverses }: Run) =>
  (chunks ?? []).some(({ lines }) =>
    lines.some(
      (line) => line.base + line.bonus + line.loyalty + line.closing + (reverses === null ? 0n : line.returned) > 0n,
    ),
  );

function startPaying(run: Run) {
  run.state = 'running';
  run.hasStarted = true;
}

export function decide(
  model: Model,
  id: string,
  { isMaker, approves }: { isMaker: boolean; approves: boolean },
): Refused {
  const run = runOf(model, id);
  if (run.state !== 'waiting') throw new Error(`The model has no request for ${id}.`);
  if (approves && isMaker) return 'OwnRequest';
  if (approves) startPaying(run);
  else run.state = 'planned';
  return null;
}

const afterStep = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const;

export function steer(model: Model, id: string, step: keyof typeof afterStep): Refused {
  const run = runOf(model, id);
  const refused = refuseStep(run, step);
  if (!refused) run.state = afterStep[step];
  return refused;
}

const openChunks = ({ chunks }: Run) => (chunks ?? []).filter(({ isPaid }) => !isPaid).length;

/** Ends the runs of which everything is paid. */
export function completeRuns({ runs }: Model) {
  for (const run of runs) if (run.state === 'running' && openChunks(run) === 0) run.state = 'completed';
}

/** Whether a worker may pay a chunk of this run now: no running one has less left to pay. */
const isNext = ({ runs }: Model, run: Run) =>
  run.state === 'running' &&
  runs.every((other) => other.state !== 'running' || openChunks(other) === 0 || openChunks(other) >= openChunks(run));

/** Pays one chunk of the run that the worker chose, or none if there is nothing to pay. */
export function payNext(model: Model, id: string | null) {
  completeRuns(model);
  if (id === null) return;
  const run = runOf(model, id);
  if (!isNext(model, run)) throw new Error(`The worker paid a chunk of ${id}, which was not its turn.`);
  payChunk(model, run);
}

export const hasOpenChunk = ({ runs }: Model) => runs.some((run) => run.state === 'running' && openChunks(run) > 0);

export function promote(model: Model, id: string, rank: ModelRank) {
  userOf(model, id).ranks.push({ at: model.now, rank });
}

export function spend(model: Model, id: string, units: bigint) {
  const user = userOf(model, id);
  user.available -= units;
  model.treasury += units;
}

export function save(model: Model, settings: Settings, from: number) {
  model.versions.push({ ...settings, from });
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from 'contract/runs.ts';
import { type Answer, callerAt } from '../processes/caller.ts';
import type { Chance } from '../processes/chance.ts';

const pollMs = 80;
/** Long enough for a kill to happen between the plan and its start. */
const startDelayMs = 400;
const longestPauseMs = 600;

/** How often an operator interferes with a run, each as a probability. */
export type Interference = { pauses: number; cancels: number; reverses: number };

type Driving = {
  address: string;
  username: string;
  kind: 'stake-payout' | 'rank-bonus';
  chance: Chance;
  interference: Interference;
  /** Whether the operator stops after the run in hand. */
  enough: () => boolean;
  /** Stops the operator at once. */
  signal: AbortSignal;
};

type Seen = Pick<Run, 'id' | 'state' | 'planHash' | 'period' | 'why' | 'reverses'>;

type Tally = Record<'paid' | 'paused' | 'cancelled' | 'reversed', number>;

/**
 * Acts as an operator who pays one period after the other over HTTP, and pauses, cancels and reverses some of the runs.
 * A kill may lose a request, or only its response, so the operator reads the current state before each step.
 */
export async function drive({ address, username, kind, chance, interference, enough, signal }: Driving) {
  const { call, signIn } = callerAt(address);
  const token = await signIn(username);
  const tally: Tally = { paid: 0, paused: 0, cancelled: 0, reversed: 0 };
  /** The run for which the operator has decided whether to interfere. */
  let decidedOn = '';

  /** Resolves to undefined if the server is down. */
  const send = (path: string, body: unknown): Promise<Answer | undefined> =>
    call('POST', path, { token, body }).catch(() => undefined);

  async function readNewest() {
    const answer = await call('GET', `/api/runs?kind=${kind}&limit=1`, { token }).catch(() => undefined);
    if (answer?.status !== 200) return undefined;
    const [newest] = answer.json['runs'] as Seen[];
    return newest ?? 'none';
  }

  async function steer({ id }: Seen, step: 'pause' | 'resume' | 'cancel') {
    const answer = await send(`/api/runs/${id}/steer`, { step });
    return answer?.status === 200;
  }

  async function disturb(run: Seen) {
    decidedOn = `${run.id} ${run.state}`;
    if (chance.happens(interference.cancels)) {
      await wait(chance.below(longestPauseMs));
      if (await steer(run, 'cancel')) tally.cancelled += 1;
    } else if (chance.happens(interference.pauses) && (await steer(run, 'pause'))) {
      tally.paused += 1;
      await wait(chance.below(longestPauseMs));
    }
  }

  /** After a run has ended: reverses it, or plans what is due next. */
  async function goOn(run: Seen | 'none') {
    const isPaid = run !== 'none' && run.state === 'completed' && run.reverses === null;
    if (isPaid && decidedOn !== `${run.id} ${run.state}`) {
      decidedOn = `${run.id} ${run.state}`;
      tally.paid += 1;
      const isReversed = !enough() && chance.happens(interference.reverses);
      if (isReversed && (await send(`/api/runs/${run.id}/reverse`, { reason: 'A trial' }))?.status === 200) {
        tally.reversed += 1;
        return false;
      }
    }
    if (isPaid && enough()) return true;
    // A canceled reversal may have reversed only a part. Nothing is due for its period until the rest is reversed as well.
    const hasRest = run !== 'none' && run.state === 'cancelled' && run.reverses !== null;
    const reversed = hasRest ? await send(`/api/runs/${run.reverses}/reverse`, { reason: 'A trial' }) : undefined;
    if (!hasRest || reversed?.json['code'] === 'AlreadyReversed') await send('/api/runs', { kind });
    await wait(pollMs);
    return false;
  }

  while (!signal.aborted) {
    const run = await readNewest();
    if (run === undefined) await wait(pollMs);
    else if (run === 'none' || run.state === 'completed' || run.state === 'cancelled') {
      if (await goOn(run)) return tally;
    } else if (run.state === 'planned') {
      await wait(startDelayMs);
      await send(`/api/runs/${run.id}/start`, { planHash: run.planHash });
    } else if (run.state === 'paused') await steer(run, 'resume');
    else if (run.state === 'running' && decidedOn !== `${run.id} running`) await disturb(run);
    else if (run.state === 'planning' || run.state === 'running') await wait(pollMs);
    else throw new Error(`The run of ${run.period} is ${run.state}: ${JSON.stringify(run.why)}`);
  }
  return tally;
}

type Blacklisting = {
  address: string;
  username: string;
  users: readonly string[];
  chance: Chance;
  enough: () => boolean;
};

/** Blacklists users, and lets them off again a little later. Returns how often. */
export async function blacklist({ address, username, users, chance, enough }: Blacklisting) {
  const { call, signIn } = callerAt(address);
  const token = await signIn(username);
  let changed = 0;
  while (!enough()) {
    const user = chance.one(users);
    for (const blacklisted of [true, false]) {
      const body = { blacklisted, reason: 'A trial' };
      const answer = await call('POST', `/api/users/${user}/blacklist`, { token, body }).catch(() => undefined);
      if (answer?.status === 200) changed += 1;
      await wait(chance.below(longestPauseMs));
    }
  }
  return changed;
}

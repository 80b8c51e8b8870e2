import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from 'contract/runs.ts';
import type { Chance } from '../proof/processes/chance.ts';
import type { Administrator } from './administrator.ts';
import type { World } from './world.ts';

const pollMs = 250;
const dayMs = 86_400_000;
/** The round of the stake payout: after it, nobody can place a stake that would have been in it. */
const firstPayout = 3;

type Payer = { administrator: Administrator; world: World; chance: Chance; pauseMs: number; signal: AbortSignal };
type Seen = Pick<Run, 'id' | 'state' | 'planHash' | 'why'>;

/**
 * Plans and starts runs one after the other, until the signal aborts and the last one is over: the stake payout that is
 * due, referral checks, and a GMP distribution of one earlier day after the other. Some distributions are reversed and
 * paid again.
 */
export async function payRuns({ administrator, world, chance, pauseMs, signal }: Payer) {
  for (let round = 1; !signal.aborted; round += 1) {
    try {
      await wait(chance.below(pauseMs), undefined, { signal });
    } catch {
      return;
    }
    try {
      if (round >= firstPayout) await payOne({ administrator, world }, { kind: 'stake-payout' });
      await payOne({ administrator, world }, { kind: 'referral-check' });
      const at = new Date(Date.now() - round * dayMs).toISOString();
      const paid = await payOne({ administrator, world }, { kind: 'gmp-distro', at });
      if (paid !== undefined && chance.happens(0.4)) await reverseAndPayAgain({ administrator, world }, paid);
    } catch (error) {
      world.fault(`A run failed: ${String(error)}`);
    }
  }
}

type Acting = Pick<Payer, 'administrator' | 'world'>;

/** Returns the run if it has paid. */
async function payOne({ administrator, world }: Acting, wanted: { kind: Run['kind']; at?: string }) {
  const { status, json } = await administrator.post('/api/runs', wanted);
  // Nothing is due.
  if (status !== 200) return undefined;
  const { id } = json['run'] as Seen;
  const state = await bringToEnd(administrator, id);
  world.count(`runs ${wanted.kind} ${state}`);
  return state === 'completed' ? id : undefined;
}

async function reverseAndPayAgain({ administrator, world }: Acting, id: string) {
  for (const step of ['reverse', 'replan'] as const) {
    const body = step === 'reverse' ? { reason: 'A trial' } : undefined;
    const { status, json } = await administrator.post(`/api/runs/${id}/${step}`, body);
    if (status !== 200) {
      world.fault(`The run ${id} was not to be ${step}d: ${status} ${JSON.stringify(json)}`);
      return;
    }
    const state = await bringToEnd(administrator, (json['run'] as Seen).id);
    world.count(`runs ${step} ${state}`);
    if (state !== 'completed') return;
  }
}

/** Starts a run when it is planned, and retries it if it fails. The second administrator approves it meanwhile. */
async function bringToEnd(administrator: Administrator, id: string) {
  for (;;) {
    const { state, planHash } = (await administrator.read(`/api/runs/${id}`))['run'] as Seen;
    if (state === 'completed' || state === 'cancelled' || state === 'refused') return state;
    if (state === 'planned') await administrator.post(`/api/runs/${id}/start`, { planHash });
    if (state === 'failed') await administrator.post(`/api/runs/${id}/steer`, { step: 'retry' });
    await wait(pollMs);
  }
}

/** Whether a run is still planned or paid. */
export async function isPaying(administrator: Administrator) {
  const runs = await administrator.readAll<Seen>('/api/runs', 'runs');
  return runs.some(({ state }) => !['completed', 'cancelled', 'refused'].includes(state));
}

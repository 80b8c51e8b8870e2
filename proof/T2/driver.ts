import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from 'contract/runs.ts';
import { type Answer, callerAt } from '../processes/caller.ts';

const pollMs = 80;
/** Long enough for a kill to happen between the plan and its start. */
const startDelayMs = 400;

type Driving = { address: string; username: string; enough: () => boolean };

/**
 * Acts as an operator who pays one day after the other over HTTP. A kill may lose a request, or only its response, so
 * the operator reads the current state before each step.
 */
export async function payDays({ address, username, enough }: Driving) {
  const { call, signIn } = callerAt(address);
  const token = await signIn(username);

  /** Resolves to undefined if the server is down. */
  const orUndefined = (request: Promise<Answer>) => request.catch(() => undefined);

  async function readNewest() {
    const answer = await orUndefined(call('GET', '/api/runs?kind=stake-payout&limit=1', { token }));
    if (answer?.status !== 200) return undefined;
    const [newest] = answer.json['runs'] as Pick<Run, 'id' | 'state' | 'planHash' | 'period' | 'why'>[];
    return newest ?? 'none';
  }

  for (;;) {
    const run = await readNewest();
    if (run === undefined) await wait(pollMs);
    else if (run === 'none' || run.state === 'completed') {
      if (run !== 'none' && enough()) return;
      await orUndefined(call('POST', '/api/runs', { token, body: { kind: 'stake-payout' } }));
    } else if (run.state === 'planned') {
      await wait(startDelayMs);
      await orUndefined(call('POST', `/api/runs/${run.id}/start`, { token, body: { planHash: run.planHash } }));
    } else if (run.state === 'planning' || run.state === 'running') await wait(pollMs);
    else throw new Error(`The run of ${run.period} is ${run.state}: ${JSON.stringify(run.why)}`);
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from 'contract/runs.ts';
import { type Answer, callerAt } from '../processes/caller.ts';

const pollMs = 80;
/** Long enough for a kill to fall between the plan and its start. */
const lookMs = 400;

type Driving = { address: string; username: string; enough: () => boolean };

/**
 * An operator who pays one day after the other and knows nothing but HTTP. What was asked for may be lost with the
 * server, or done although the answer was: so before each step the operator looks how things stand.
 */
export async function payDays({ address, username, enough }: Driving) {
  const { call, signIn } = callerAt(address);
  const token = await signIn(username);

  /** Nothing, where the server is away. */
  const tried = (asked: Promise<Answer>) => asked.catch(() => undefined);

  async function look() {
    const answer = await tried(call('GET', '/api/runs?kind=stake-payout&limit=1', { token }));
    if (answer?.status !== 200) return undefined;
    const [newest] = answer.json['runs'] as Pick<Run, 'id' | 'state' | 'planHash' | 'period' | 'why'>[];
    return newest ?? 'none';
  }

  for (;;) {
    const run = await look();
    if (run === undefined) await wait(pollMs);
    else if (run === 'none' || run.state === 'completed') {
      if (run !== 'none' && enough()) return;
      await tried(call('POST', '/api/runs', { token, body: { kind: 'stake-payout' } }));
    } else if (run.state === 'planned') {
      await wait(lookMs);
      await tried(call('POST', `/api/runs/${run.id}/start`, { token, body: { planHash: run.planHash } }));
    } else if (run.state === 'planning' || run.state === 'running') await wait(pollMs);
    else throw new Error(`The run of ${run.period} is ${run.state}: ${JSON.stringify(run.why)}`);
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from '../processes/chance.ts';

export const perSecond = 200;
export const networks = 200;

const turnMs = 10;

type Attack = { address: string; username: string; seconds: number; chance: Chance };

/**
 * Sends wrong passwords at a steady rate, however long the responses take. Half of them are for the administrator, the
 * others for names that do not exist, and some come with a device cookie that somebody made up.
 */
export async function attack({ address, username, seconds, chance }: Attack) {
  const answers: Record<string, number> = {};
  const started = performance.now();
  const sent: Promise<void>[] = [];
  const elapsed = () => (performance.now() - started) / 1000;

  const sendOne = async () => {
    const answer = await fetch(`${address}/api/admin/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.7.${chance.whole(networks)}.${1 + chance.whole(250)}`,
        ...(chance.happens(0.2) && { cookie: `__Host-bursar-device=${chance.whole(1e9)}.${chance.whole(1e9)}` }),
      },
      body: JSON.stringify({
        username: chance.happens(0.5) ? username : `guess${chance.whole(1_000)}`,
        password: `not the right phrase ${chance.whole(1e9)}`,
      }),
    }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    const status = answer?.status ?? 'no answer';
    answers[status] = (answers[status] ?? 0) + 1;
  };

  while (elapsed() < seconds) {
    while (sent.length < elapsed() * perSecond) sent.push(sendOne());
    await wait(turnMs);
  }
  const sentPerSecond = Math.round(sent.length / elapsed());
  await Promise.all(sent);
  return { sentPerSecond, answers };
}

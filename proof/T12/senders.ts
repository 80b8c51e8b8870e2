import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { addApiKey } from '../../server/src/core/testing/api-key.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { addUser } from '../../server/src/core/testing/user.ts';
import { platformId } from '../../server/src/core/platform-id.ts';
import type { Fixture } from '../processes/fixture.ts';

/** What the clients saw. Every answer must be a success, or a 503 that says when to come back. */
type Seen = {
  acknowledged: string[];
  refused: number;
  /** Refusals that did not wait for a connection first. */
  refusedAtOnce: number;
  withoutRetryAfter: number;
  wrong: string[];
  lost: number;
};
export type Senders = Awaited<ReturnType<typeof openSenders>>;

const longestCallMs = 60_000;
/** Half of what a request waits for a connection. */
const atOnceMs = 2_500;
const pauseMs = 20;
const recoveryPatienceMs = 30_000;

/** Clients of the platform that bring in deposits, each with an id of its own. */
export async function openSenders({ owner }: Fixture, address: string) {
  await addAdmin(owner, { username: 'root', role: 'SuperAdmin' });
  const { secret } = await addApiKey(owner, { scopes: ['deposits:write'], requestsPerMinute: 10_000_000 });
  const users: string[] = [];
  for (let count = 0; count < 50; count += 1) users.push((await addUser(owner)).userId);
  const seen: Seen = { acknowledged: [], refused: 0, refusedAtOnce: 0, withoutRetryAfter: 0, wrong: [], lost: 0 };
  let turn = 0;

  async function sendOne() {
    const id = randomUUID();
    turn += 1;
    const item = { id, user: users[turn % users.length], asset: 'USD', amount: '1', at: new Date().toISOString() };
    const sentAt = performance.now();
    const answer = await send(address, secret, item);
    if (answer === undefined) seen.lost += 1;
    else if (answer.status === 200 && answer.text.includes('"stored"')) seen.acknowledged.push(id);
    else if (answer.status !== 503) seen.wrong.push(`${answer.status} ${answer.text.slice(0, 200)}`);
    else {
      seen.refused += 1;
      if (performance.now() - sentAt < atOnceMs) seen.refusedAtOnce += 1;
      if (!answer.mayRetry) seen.withoutRetryAfter += 1;
    }
    return answer?.status;
  }

  return {
    seen,
    sendOne,
    /** Keeps so many clients busy until the returned function is called. */
    keepSending(clients: number) {
      let isStopped = false;
      const client = async () => {
        while (!isStopped) if ((await sendOne()) !== 200) await wait(pauseMs);
      };
      const all = Promise.all(Array.from({ length: clients }, client));
      return async () => {
        isStopped = true;
        await all;
      };
    },
    /** Every one of so many clients makes one call at the same time. */
    sendAtOnce: (clients: number) => Promise.all(Array.from({ length: clients }, sendOne)),
    /** Returns the time until a call succeeds again. */
    async recoveredAfterMs() {
      const started = performance.now();
      while (performance.now() - started < recoveryPatienceMs) {
        if ((await sendOne()) === 200) break;
        await wait(pauseMs);
      }
      return Math.round(performance.now() - started);
    },
    /** Returns how many acknowledged deposits the ledger does not have. */
    async countLost({ pool }: Fixture) {
      const ids = seen.acknowledged.map((id) => platformId('deposit', id));
      const { rows } = await pool.query<{ stored: number }>(
        `select count(distinct deposit.id)::int as stored from deposit join transfer on transfer.cause_id = deposit.id
         where deposit.id = any($1::uuid[]) and transfer.kind = 'deposit'`,
        [ids],
      );
      return ids.length - (rows[0]?.stored ?? 0);
    },
  };
}

/** Returns undefined if nobody answers, which says nothing about the deposit. */
async function send(address: string, secret: string, item: object) {
  try {
    const response = await fetch(`${address}/api/platform/deposits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ items: [item] }),
      signal: AbortSignal.timeout(longestCallMs),
    });
    const mayRetry = Number(response.headers.get('retry-after')) > 0;
    return { status: response.status, mayRetry, text: await response.text() };
  } catch {
    return undefined;
  }
}

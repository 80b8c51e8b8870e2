import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { setAloneLimit } from '../../server/src/core/testing/decisions.ts';
import { addUser } from '../../server/src/core/testing/user.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { addWithdrawal } from '../../server/src/core/testing/transfers.ts';
import { freePort } from '../../tools/ports.ts';
import { callerAt } from '../processes/caller.ts';
import type { Chance } from '../processes/chance.ts';
import type { Code } from '../processes/code.ts';
import { startProgram } from '../processes/program.ts';
import { faultsOf, type Fixture } from '../processes/fixture.ts';
import { logProgress } from '../processes/verdict.ts';

const timesEach = 5;
const concurrentKeys = 4;
const patienceMs = 60_000;
const pauseMs = 100;

type Params = { keys: number; kills: number; chance: Chance };

/** Approves withdrawals. Without an idempotency key, a repeated approval would be refused. */
export async function sendAll(fixture: Fixture, code: Code, { keys, kills, chance }: Params) {
  const { owner, environment } = fixture;
  await setAloneLimit(owner, 10n ** 15n);
  await addAdmin(owner, { username: 'ann' });
  const withdrawals = await addWithdrawals(fixture, keys);
  logProgress(`${keys} withdrawals wait`);

  const ports = [await freePort(), await freePort()];
  const starts = ports.map((port) => ({
    code,
    program: 'main.ts' as const,
    environment: { ...environment, PORT: String(port), DATABASE_CONNECTIONS: '20' },
  }));
  const programs = starts.map((start) => startProgram(start));
  await Promise.all(programs.map((program) => program.readyOrThrow()));
  const callers = ports.map((port) => callerAt(`http://127.0.0.1:${port}`));
  const token = (await callers[0]?.signIn('ann')) ?? '';

  let done = 0;
  const killing = killServers();
  const answers = await inParallel(withdrawals, concurrentKeys, async (id) => {
    const key = randomUUID();
    const responses = await Promise.all(Array.from({ length: timesEach }, () => sendUntilAnswered(id, key)));
    done += 1;
    return responses;
  });
  await killing;
  await Promise.all(programs.map((program) => program.kill()));
  const notOnce = await countNotOnce(fixture);
  return {
    keys,
    timesEach,
    kills,
    differing: answers.filter((responses) => new Set(responses).size !== 1).length,
    unanswered: answers.flat().filter((response) => !response.startsWith('200 ')).length,
    notOnce,
    faults: await faultsOf(fixture),
  };

  /** Spreads the kills over the whole run; a killed server is restarted soon. */
  async function killServers() {
    for (let kill = 1; kill <= kills; kill += 1) {
      while (done < (keys * kill) / (kills + 1)) await wait(20);
      const place = chance.whole(programs.length);
      const [program, start] = [programs[place], starts[place]];
      if (!program || !start) continue;
      await program.kill();
      await wait(chance.below(500));
      programs[place] = startProgram(start);
      await programs[place].readyOrThrow();
      logProgress(`kill ${kill}: a server, after ${done} keys`);
    }
  }

  /** Retries until a server responds, as a client does that must know the outcome. */
  async function sendUntilAnswered(id: string, key: string) {
    const latest = Date.now() + patienceMs;
    for (;;) {
      const response = await chance
        .one(callers)
        .call('POST', `/api/withdrawals/${id}/approve`, { token, body: { reference: id }, key })
        .then(({ status, json }) => (status >= 500 ? undefined : `${status} ${JSON.stringify(json)}`))
        .catch(() => undefined);
      if (response !== undefined || Date.now() > latest) return response ?? 'nobody answered';
      await wait(pauseMs);
    }
  }
}

async function countNotOnce({ owner }: Fixture) {
  const { rows } = await sql<{ notOnce: number }>`
    select count(*)::int as "notOnce" from withdrawal where status <> 'Completed' or (
      select count(*) from transfer where kind = 'withdrawal' and cause_id = withdrawal.id and part = 1) <> 1`.execute(
    owner,
  );
  return rows[0]?.notOnce ?? Number.NaN;
}

async function addWithdrawals({ owner }: Fixture, count: number) {
  const ids: string[] = [];
  const { id: userId } = await addUser(owner);
  for (let n = 0; n < count; n += 1) ids.push(await addWithdrawal(owner, { userId, units: 1_000_000n }));
  return ids;
}

/** Processes all items, at most `atOnce` at a time. */
async function inParallel<T, R>(all: readonly T[], atOnce: number, work: (one: T) => Promise<R>) {
  const results: R[] = [];
  const left = [...all];
  const lane = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) results.push(await work(one));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return results;
}

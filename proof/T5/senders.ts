import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { setAloneLimit } from '../../server/src/core/testing/decisions.ts';
import { addUser } from '../../server/src/core/testing/user.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { addWithdrawal } from '../../server/src/core/testing/transfers.ts';
import type { Chance } from '../processes/chance.ts';
import type { Code } from '../processes/code.ts';
import { faultsOf, type Fixture } from '../processes/fixture.ts';
import { logProgress } from '../processes/verdict.ts';
import { inParallel, startServers } from './servers.ts';

const timesEach = 5;
const concurrentKeys = 4;

type Params = { keys: number; kills: number; chance: Chance };

/** Approves withdrawals. Without an idempotency key, a repeated approval would be refused. */
export async function sendAll(fixture: Fixture, code: Code, { keys, kills, chance }: Params) {
  const { owner, environment } = fixture;
  await setAloneLimit(owner, 10n ** 15n);
  await addAdmin(owner, { username: 'ann' });
  const withdrawals = await addWithdrawals(fixture, keys);
  logProgress(`${keys} withdrawals wait`);

  const servers = await startServers({ code, environment, chance });
  const token = await servers.signIn('ann');
  let done = 0;
  const killing = servers.killDuring({ kills, total: keys, done: () => done });
  const answers = await inParallel(withdrawals, concurrentKeys, async (id) => {
    const request = { path: `/api/withdrawals/${id}/approve`, token, body: { reference: id }, key: randomUUID() };
    const send = async () => {
      const answer = await servers.sendUntilAnswered(request);
      return answer ? `${answer.status} ${JSON.stringify(answer.json)}` : 'nobody answered';
    };
    const responses = await Promise.all(Array.from({ length: timesEach }, send));
    done += 1;
    return responses;
  });
  await killing;
  await servers.stop();
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

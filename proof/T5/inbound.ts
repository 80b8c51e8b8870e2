import { sql } from 'kysely';
import { addApiKey } from '../../server/src/core/testing/api-key.ts';
import { inboundScopes, newWallet, userItem } from '../../server/src/core/testing/inbound.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import type { Chance } from '../processes/chance.ts';
import type { Code } from '../processes/code.ts';
import { faultsOf, type Fixture } from '../processes/fixture.ts';
import { inParallel, startServers } from './servers.ts';

const timesEach = 5;
const concurrentCalls = 4;
const itemsInCall = 10;
const users = 40;

/** Each call of one kind has items of its own. The money of the users lasts for all of them. */
const kinds = ['deposits', 'stakes', 'withdrawals', 'tickets', 'task-submissions', 'activity'] as const;
type Kind = (typeof kinds)[number];
type Call = { kind: Kind; items: Item[] };
type Item = { id: string };
type Result = { outcome: string };

type Params = { calls: number; kills: number; chance: Chance };

/** Sends every call of the platform five times concurrently: each item is stored once, and every answer says so. */
export async function sendInbound(fixture: Fixture, code: Code, { calls, kills, chance }: Params) {
  const { owner, environment } = fixture;
  await addAdmin(owner, { username: 'ann' });
  const { secret: token } = await addApiKey(owner, { scopes: [...inboundScopes], requestsPerMinute: 1_000_000 });
  const servers = await startServers({ code, environment, chance });
  const send = async (kind: string, items: readonly object[]) => {
    const answer = await servers.sendUntilAnswered({ path: `/api/platform/${kind}`, token, body: { items } });
    return ((answer?.json['results'] ?? []) as Result[]).map(({ outcome }) => outcome);
  };
  const people = Array.from({ length: users }, () => userItem());
  await send('users', people);
  const at = new Date().toISOString();
  const money = people.map(({ id }) => ({ id: `start-${id}`, user: id, asset: 'USD', amount: '1000000', at }));
  await send('deposits', money);

  const planned = Array.from({ length: calls }, (_none, index) => callOf(index, { chance, people, at }));
  let done = 0;
  const killing = servers.killDuring({ kills, total: calls, done: () => done });
  const answers = await inParallel(planned, concurrentCalls, async ({ kind, items }) => {
    const outcomes = await Promise.all(Array.from({ length: timesEach }, () => send(kind, items)));
    done += 1;
    return { items, outcomes };
  });
  await killing;
  await servers.stop();
  return {
    items: calls * itemsInCall,
    timesEach,
    kills,
    unanswered: answers.flatMap(({ outcomes }) => outcomes).filter((all) => !all.every(isTaken) || all.length === 0)
      .length,
    storedTwice: answers.reduce((sum, { items, outcomes }) => sum + countStoredTwice(items, outcomes), 0),
    rowsMissing: expectedRows(planned) - (await countRows(fixture)),
    faults: await faultsOf(fixture),
  };
}

const isTaken = (outcome: string) => outcome === 'stored' || outcome === 'duplicate';

/** An answer may be lost with its server, so an item can be a duplicate in every answer, but stored only in one. */
const countStoredTwice = (items: readonly Item[], outcomes: readonly string[][]) =>
  items.filter((_item, place) => outcomes.filter((all) => all[place] === 'stored').length > 1).length;

type World = { chance: Chance; people: readonly { id: string }[]; at: string };

function callOf(index: number, { chance, people, at }: World): Call {
  const kind = kinds[index % kinds.length] ?? 'deposits';
  const items = Array.from({ length: itemsInCall }, (_none, place) => {
    const id = `${kind}-${index}-${place}`;
    return { id, user: chance.one(people).id, ...contentOf(at)[kind] };
  });
  return { kind, items };
}

const contentOf = (at: string): Record<Kind, object> => ({
  deposits: { asset: 'USD', amount: '1', at },
  stakes: { amount: '2', days: 30, placedAt: at },
  withdrawals: { asset: 'USD', amount: '3', wallet, at },
  tickets: { type: 'Lost', description: 'Help', at },
  'task-submissions': {
    postUrl: 'https://example.com/1',
    title: 'Shared',
    reward: '1',
    deadline: '2030-01-01',
    at,
  },
  activity: { type: 'Browsing', at },
});

const wallet = newWallet();

const expectedRows = (planned: readonly Call[]) => planned.reduce((sum, { items }) => sum + items.length, users);

/** Counts what the platform sent, the deposits that all users start with included. */
async function countRows({ owner }: Fixture) {
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from deposit) + (select count(*) from stake) + (select count(*) from withdrawal)
      + (select count(*) from ticket) + (select count(*) from task) + (select count(*) from activity_event))::int as count
  `.execute(owner);
  return rows[0]?.count ?? Number.NaN;
}

import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { foldBy, whileFolding } from '#server/core/testing/counters.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { foldCounts } from './counts.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');

const fold = foldBy(db, foldCounts);

/** Returns the counters that differ from the table, in one statement, so that no write comes in between. */
async function wrongCounts() {
  const { rows } = await sql`
    with truth as (
      select 'all' as measure, null::timestamptz as at, count(*) from platform_user where retired_at is null
      union all
      select 'blacklisted', null, count(*) from platform_user where retired_at is null and blacklisted_at is not null
      union all
      select 'registered', date_trunc('hour', created_at), count(*) from platform_user group by 2
      union all
      select 'active', last_active_on at time zone 'UTC', count(*)
      from platform_user where retired_at is null and last_active_on is not null group by 2
    ),
    kept as (select measure, at, sum(delta) as count from user_count group by measure, at)
    select * from truth full join kept on truth.measure = kept.measure and truth.at is not distinct from kept.at
    where coalesce(truth.count, 0) <> coalesce(kept.count, 0)`.execute(db.owner);
  return rows;
}

const anyOf = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)];

async function writeAtRandom(ids: string[]) {
  const id = anyOf(ids);
  const chance = Math.random();
  if (id === undefined || chance < 0.3) ids.push(await addRandomUser());
  else if (chance < 0.5) await setLastActive(id);
  else {
    const status = await (chance < 0.8 ? setRandomBlacklist(id) : remove(id));
    if (![200, 404, 409].includes(status)) throw new Error(`Answered ${status}.`);
  }
}

async function addRandomUser() {
  const lastActiveOn = anyOf([null, '2026-01-01', '2026-01-02']) ?? null;
  const createdAt = new Date(Date.UTC(2026, 0, 1, anyOf([1, 2, 3]) ?? 1));
  return (await addUser(db.owner, { lastActiveOn, createdAt })).id;
}

const setLastActive = (id: string) =>
  sql`update platform_user set last_active_on = ${anyOf(['2026-01-01', '2026-01-03'])}::date where id = ${id}`.execute(
    db.owner,
  );

async function setRandomBlacklist(id: string) {
  const body = { blacklisted: Math.random() < 0.5, reason: 'Any reason' };
  return (await server.call('POST', `/api/users/${id}/blacklist`, { token, body })).status;
}

const remove = async (id: string) => (await server.call('POST', `/api/users/${id}/delete`, { token })).status;

test('the counters are exact after random writes, folded or not', async () => {
  const ids: string[] = [];
  for (let step = 0; step < 80; step += 1) await writeAtRandom(ids);
  expect(await wrongCounts()).toEqual([]);
  await fold();
  expect(await wrongCounts()).toEqual([]);
});

test('the counters stay exact while two workers fold them during writes', async () => {
  const ids: string[] = [];
  const look = async () => expect(await wrongCounts()).toEqual([]);
  await whileFolding({ fold, look, write: () => writeAtRandom(ids) });
});

test('folding leaves one row per measure and time, and does not touch single rows', async () => {
  await fold();
  const rows = async () =>
    (
      await sql<{ key: string; place: string }>`
        select concat(measure, ' ', at) as key, concat(ctid, ' ', xmin) as place from user_count`.execute(db.owner)
    ).rows;
  const folded = await rows();
  expect(new Set(folded.map(({ key }) => key)).size).toBe(folded.length);
  await fold();
  expect(await rows()).toEqual(folded);
});

test('the totals of the list match the users', async () => {
  for (const [query, condition] of [
    ['', sql`true`],
    ['&blacklisted=yes', sql`blacklisted_at is not null`],
  ] as const) {
    const { rows } = await sql<{ count: bigint }>`
      select count(*) from platform_user where retired_at is null and ${condition}`.execute(db.owner);
    const { json } = await server.call('GET', `/api/users?limit=1${query}`, { token });
    expect(json['total']).toEqual({ count: Number(rows[0]?.count), capped: false });
  }
});

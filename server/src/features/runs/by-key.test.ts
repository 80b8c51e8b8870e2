import type { RunKind } from 'contract/run-kinds.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { connect } from '#server/core/db/db.ts';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';

/* The cost of a chunk depends only on its own users. More than one chunk is needed to see that. */
const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());
const connectWith = (connections: number) => {
  const settings = { role: 'bursar_worker', statementTimeoutMs: 20_000, onLostConnection: () => undefined } as const;
  const { database } = connect({ url: db.url, connections, ...settings });
  afterAll(() => database.destroy());
  return database;
};
const planner = runsOf({ ...db, worker: connectWith(10) }, { linesInChunk: 500 });
const runs = runsOf({ ...db, worker: connectWith(1) }, { linesInChunk: 500 });
const now = new Date();
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);

await addAdmin(db.owner, { username: 'ann' });
await fillTreasury(db.owner, 'USD', 10n ** 15n);
await fillTreasury(db.owner, 'GMP', 10n ** 15n);
await setRunLimit(db.owner, 10n ** 15n);
await addCrowd(db.owner, { users: 1_200, placedOn: daysAgo(10), sponsored: true });
await sql`update platform_user set rank = 'Silver'`.execute(db.owner);
await sql`update user_total set gmp_shares = 1`.execute(db.owner);
await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' });
await sql`analyze`.execute(db.owner);

// The inputs of a plan may scan all users, and so may the verification of a paid run. Such a scan counts until the
// statistics of its connection are flushed. So plans are made on connections of their own, on which the chunks are written
// by another one than the inputs are read; and all chunks are paid on one connection, which the first chunk flushes.
await sql
  .raw(
    `create function stop_walking() returns trigger language plpgsql as $$
    declare
      walked text := (
        select string_agg(relname, ', ') from pg_stat_xact_user_tables
        where relname in ('platform_user', 'user_total', 'stake') and seq_tup_read > 0);
      fetched bigint := (
        select sum(seq_tup_read + idx_tup_fetch) from pg_stat_xact_user_tables where relname like 'transfer_20%');
      lines bigint := (
        select sum(seq_tup_read + idx_tup_fetch) from pg_stat_xact_user_tables where relname ~ '^run_line_(20|earlier)');
    begin
      perform pg_stat_force_next_flush();
      if new.no > 1 and walked is not null then raise exception 'All of % was read for a chunk.', walked; end if;
      -- A chunk has 500 lines with a few transfers each, and the day has several thousand transfers.
      if new.no > 1 and fetched > 50000 then raise exception '% transfers were read for a chunk.', fetched; end if;
      if new.no > 1 and lines > 50000 then raise exception '% lines were read for a chunk.', lines; end if;
      return null;
    end $$`,
  )
  .execute(db.owner);
await sql`create trigger stop_walking after insert or update on run_chunk
  for each row execute function stop_walking()`.execute(db.owner);

const failuresOf = (id: string) =>
  db.owner
    .selectFrom('runChunk')
    .select(['no', 'failure'])
    .where('runId', '=', id)
    .where('failure', 'is not', null)
    .execute();

async function pay(id: string) {
  await runs.start(id);
  const { state, why } = await runs.pay(id);
  expect({ state, why, failures: await failuresOf(id) }).toEqual({ state: 'completed', why: null, failures: [] });
}

let nth = 0;

/** Pays a run, reverses it, and pays the same again. */
async function payTwice(kind: RunKind) {
  for (const attempt of ['first', 'again']) {
    nth += 1;
    const { id } = await planner.create(kind, new Date(now.getTime() + nth * 60_000));
    expect(await planner.plan(id), attempt).toMatchObject({ state: 'planned' });
    expect((await runs.linesOf(id)).length).toBeGreaterThan(1_000);
    await pay(id);
    const reversal = await planner.reverse(id);
    expect(reversal).toMatchObject({ state: 'planned' });
    await pay(reversal.id);
  }
}

const kinds: RunKind[] = ['referral-check', 'stake-payout', 'gmp-distro', 'rank-bonus'];

test.each(kinds)('%s looks up its users by key when the statistics know no run', payTwice);

test.each(kinds)('%s looks up its users by key when the statistics know the lines of other runs', async (kind) => {
  // The planner expects almost no lines of a run that it does not know.
  await sql`analyze run_line`.execute(db.owner);
  await payTwice(kind);
});

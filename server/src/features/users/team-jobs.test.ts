import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { connect } from '#server/core/db/db.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { addUser } from '#server/core/testing/user.ts';
import { foldTeams } from './team-jobs.ts';
import { foldTeamDeltas } from './team-queries.ts';

const db = await testDatabase();
const { database: hurried } = connect({
  url: db.url,
  role: 'bursar_worker',
  connections: 1,
  statementTimeoutMs: 600,
  onLostConnection: () => undefined,
});
afterAll(async () => {
  await hurried.destroy();
  await db[Symbol.asyncDispose]();
});

/** Makes folding a row take this long, as it does below a long chain on a busy machine. */
const carryFor = (seconds: number) =>
  sql`create or replace function linger() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(${sql.lit(seconds)});
      return old;
    end $$`.execute(db.owner);
await carryFor(0);
await sql`create trigger linger before delete on team_delta for each row execute function linger()`.execute(db.owner);

const tooLate = { code: '57014' };

test('a batch that exceeds the statement timeout is folded in smaller ones', async () => {
  const { id } = await addUser(db.owner);
  await sql`
    insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code, sponsor_id)
    select 'S' || n, 'slow' || n, 'w', 'w', 'SLOW' || n, ${id}::uuid from generate_series(1, 60) as n`.execute(
    db.owner,
  );
  await carryFor(0.02);
  const wholeBatch = hurried.transaction().execute((tx) => foldTeamDeltas(tx, 60));
  await expect(wholeBatch).rejects.toMatchObject(tooLate);

  await foldTeams(hurried, { rows: 60 });
  expect(await db.owner.selectFrom('teamDelta').select('userId').execute()).toEqual([]);
  const team = db.owner.selectFrom('team').select(['referralCount', 'totalNetwork']).where('userId', '=', id);
  expect(await team.executeTakeFirst()).toEqual({ referralCount: 60n, totalNetwork: 60n });
});

test('a single row that exceeds the statement timeout is a failure', async () => {
  const { id } = await addUser(db.owner);
  await addUser(db.owner, { sponsorId: id });
  await carryFor(2);
  await expect(foldTeams(hurried, { rows: 60 })).rejects.toMatchObject(tooLate);
});

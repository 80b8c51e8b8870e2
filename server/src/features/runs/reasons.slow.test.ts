import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { connect, type Database } from '#server/core/db/db.ts';
import { migrate } from '#server/core/db/migrate.ts';
import { ensureRoles } from '#server/core/db/roles.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { createDatabase } from '#server/core/testing/template.ts';
import { readCalendar } from './reading/calendar.ts';
import { selectErrors } from './reading/detail-queries.ts';
import { messageOf } from './store/error-message.ts';
import { selectRun } from './store/run-queries.ts';

const folder = new URL('../../../migrations/', import.meta.url);

/** Creates a database with the tables as they were before reasons had codes. */
async function oldDatabase() {
  const { url, drop } = await createDatabase(inject('postgresUrl'));
  const settings = { connections: 2, statementTimeoutMs: 20_000, onLostConnection: () => undefined };
  const { database: owner } = connect({ url, ...settings });
  await ensureRoles(owner);
  await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
    owner,
  );
  for (const name of (await readdir(folder)).filter((file) => file < '0024').sort()) {
    await sql.raw(await readFile(new URL(name, folder), 'utf8')).execute(owner);
    await sql`insert into kysely_migration values (${name}, now())`.execute(owner);
  }
  const dispose = async () => {
    await owner.destroy();
    await drop();
  };
  return { url, owner, [Symbol.asyncDispose]: dispose };
}

const none = '00000000-0000-0000-0000-000000000000';

/** Adds a run that failed in its first chunk, and a skipped occurrence. */
async function addOldRows(owner: Database) {
  const { rows } = await sql<{ id: string }>`
    insert into run (kind, period, day, part, asset, settings, settings_version)
    values ('stake-payout', '2026-03-10', '2026-03-10', 0, 'USD', '{}', 1) returning id`.execute(owner);
  const id = rows[0]?.id ?? '';
  await sql`
    insert into run_chunk (run_id, no, after_user, to_user, digest, lines, skipped, budget, base, bonus, loyalty,
      closing, unranked, withheld, unshared, rounded, largest, completes, returned, failures, failure)
    select ${id}, no, ${none}, ${none}, '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      case no when 1 then 3 else 0 end, case no when 1 then 'The lines are "odd".' end
    from generate_series(1, 2) as no`.execute(owner);
  await sql`update run set state = 'failed', why = 'Chunk 1: The lines are "odd".' where id = ${id}`.execute(owner);
  await sql`insert into run_due (kind, due_at, outcome, why)
    values ('gmp-distro', '2026-03-10T12:00Z', 'skipped', '2026-03-10 was paid before.')`.execute(owner);
  return id;
}

test('a reason that was stored as text, before reasons had codes, is still readable in the same place', async () => {
  await using old = await oldDatabase();
  const { owner } = old;
  const id = await addOldRows(owner);
  expect(await migrate(old.url)).toContain('0024_reasons.sql');

  const textReason = (text: string) => ({ code: 'text', params: { text } });
  expect(await selectRun(owner, id)).toMatchObject({
    state: 'failed',
    why: textReason('Chunk 1: The lines are "odd".'),
  });
  expect(await selectErrors(owner, id)).toEqual([
    { chunk: 1, failures: 3, failure: textReason('The lines are "odd".') },
  ]);
  const now = new Date('2026-03-11T00:00:00Z');
  const { entries } = await readCalendar(owner, { from: '2026-03-10', to: '2026-03-10', now });
  expect(entries).toMatchObject([{ outcome: 'skipped', why: textReason('2026-03-10 was paid before.') }]);

  const { rows } = await sql<{ failure: unknown }>`select failure from run_chunk where no = 2`.execute(owner);
  expect(rows).toEqual([{ failure: null }]);
  const { rows: rights } = await sql`
    select has_column_privilege('bursar_app', 'run', 'why', 'update') as "mayStop",
      has_column_privilege('bursar_app', 'run', 'period', 'update') as "mayRewrite"`.execute(owner);
  expect(rights).toEqual([{ mayStop: true, mayRewrite: false }]);
  await expect(sql`update run set why = '"Lost."' where id = ${id}`.execute(owner)).rejects.toThrow(
    'run_why_is_a_reason',
  );
  await expect(sql`update run_due set why = null`.execute(owner)).rejects.toMatchObject({ code: 'BU002' });
}, 60_000);

test('an error message is stored without the characters that jsonb cannot hold', async () => {
  await using db = await testDatabase();
  const message = messageOf(new Error('NUL \0 and half a pair \ud83d.'));
  const { rows } = await sql`select ${JSON.stringify({ message })}::jsonb->>'message' as message`.execute(db.database);
  expect(rows).toEqual([{ message: 'NUL  and half a pair \ufffd.' }]);
});

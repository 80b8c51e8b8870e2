import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runJobs } from './features/runs/jobs.ts';
import { ledgerJobs } from './core/ledger/jobs.ts';
import type { Posting } from './core/ledger/posting.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());
const ledger = ledgerOf(db);
const now = new Date();

/** The first day of the month that is so many months from now. */
const monthAt = (months: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString().slice(0, 10);
const nameOf = (whole: string, months: number) => `${whole}_${monthAt(months).slice(0, 7).replace('-', '_')}`;

const partsOf = async (whole: string) => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${whole}::regclass order by relname`.execute(db.owner);
  return rows.map(({ name }) => name);
};

/** Leaves the database as a worker left it that last ran fourteen months ago: the last month is eight months old. */
async function forgetMonths(whole: 'transfer' | 'run_line') {
  for (const name of await partsOf(whole)) {
    await sql`drop table ${sql.table(name)}`.execute(db.owner);
  }
  const part = (name: string, from: string, to: string) =>
    sql.raw(`create table ${name} partition of ${whole} for values from (${from}) to (${to})`).execute(db.owner);
  await part(`${whole}_earlier`, 'minvalue', `'${monthAt(-9)}'`);
  await part(nameOf(whole, -9), `'${monthAt(-9)}'`, `'${monthAt(-8)}'`);
  await part(nameOf(whole, -8), `'${monthAt(-8)}'`, `'${monthAt(-7)}'`);
  await part(`${whole}_later`, `'${monthAt(-7)}'`, 'maxvalue');
  await sql
    .raw(
      `create trigger ${whole}_is_never_emptied before truncate on ${whole}_later
        for each statement execute function stop_rewriting()`,
    )
    .execute(db.owner);
}

async function runMonthJobs() {
  const archive = { pool: db.pool, folder: db.config.archive.folder, keepMonths: 13 };
  const stopping = new AbortController().signal;
  const jobs = [...ledgerJobs, ...runJobs({ enqueue: async () => undefined, archive, stopping })].filter(({ name }) =>
    name.endsWith('prepare-months'),
  );
  for (const { run } of jobs) await run(db.worker);
}

const { id: userId } = await addUser(db.owner);
const payment: Posting = {
  day: monthAt(-3),
  kind: 'stake-base',
  causeId: randomUUID(),
  part: 0,
  userId,
  asset: 'USD',
  debit: 'stake_rewards',
  credit: 'available',
  units: 10n,
};

beforeAll(async () => {
  await forgetMonths('transfer');
  await forgetMonths('run_line');
});

test('a payment for a day without a month is posted, and every month since the last one is created with it', async () => {
  await ledger.posted(payment);
  await db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`insert into run_line (run_id, day, user_id, cause_id, part, input)
      values (uuid_v7(), ${monthAt(-3)}::date, ${userId}, uuid_v7(), 0, 1)`.execute(tx);
  });
  const before = await ledger.totalsOf(userId);
  await runMonthJobs();
  const months = Array.from({ length: 16 }, (_, at) => at - 9);
  for (const whole of ['transfer', 'run_line']) {
    expect(await partsOf(whole)).toEqual(
      [...months.map((month) => nameOf(whole, month)), `${whole}_earlier`, `${whole}_later`].toSorted(),
    );
    const { rows } = await sql<{ part: string }>`
      select distinct tableoid::regclass::text as part from ${sql.table(whole)}`.execute(db.owner);
    expect(rows).toEqual([{ part: nameOf(whole, -3) }]);
  }
  expect(await ledger.totalsOf(userId)).toEqual(before);
  await ledger.expectAddsUp();
});

test('the month that was moved has the rules of the others', async () => {
  const part = sql.table(nameOf('transfer', -3));
  await expect(ledger.posted(payment)).rejects.toMatchObject({ code: '23505' });
  await expect(sql`delete from ${part}`.execute(db.owner)).rejects.toThrow('append-only');
  await expect(sql`truncate ${part}`.execute(db.owner)).rejects.toThrow('append-only');
  await expect(ledger.posted({ ...payment, causeId: randomUUID(), units: -1n })).rejects.toMatchObject({
    code: '23514',
  });
  await ledger.posted({ ...payment, causeId: randomUUID() });
  expect(await ledger.totalsOf(userId)).toMatchObject({ availableUsd: 20n });
});

test('preparing the months again changes nothing, and rows of days after the last month are append-only', async () => {
  await ledger.posted({ ...payment, causeId: randomUUID(), day: monthAt(40) });
  const before = await partsOf('transfer');
  await runMonthJobs();
  expect(await partsOf('transfer')).toEqual(before);
  await expect(sql`delete from transfer_later`.execute(db.owner)).rejects.toThrow('append-only');
  await expect(sql`truncate transfer_later`.execute(db.owner)).rejects.toThrow('append-only');
});

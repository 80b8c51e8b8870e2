import { sql } from 'kysely';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { type Database, type Db, isTransient, type Tx } from './db.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

test('the type Db has no methods that write', () => {
  type Writing = 'insertInto' | 'updateTable' | 'deleteFrom' | 'mergeInto' | 'replaceInto';
  expectTypeOf<Extract<keyof Db, Writing | 'transaction'>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<keyof Database, Writing>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<keyof Tx, Writing>>().toEqualTypeOf<Writing>();
  expectTypeOf<Tx>().toExtend<Db>();
});

test('int8 values are read as bigint, exact beyond the safe integers', async () => {
  const { rows } = await sql<{
    big: bigint;
    small: number;
  }>`select 9007199254740993::bigint as big, 7 as small`.execute(db.database);
  expect(rows[0]).toEqual({ big: 9_007_199_254_740_993n, small: 7 });
});

test('ids are version 7 UUIDs that increase with time', async () => {
  const { rows } = await sql<{
    id: string;
  }>`select uuid_v7() as id from generate_series(1, 3), pg_sleep(0.003)`.execute(db.owner);
  const next = await sql<{ id: string }>`select uuid_v7() as id from pg_sleep(0.003)`.execute(db.owner);
  for (const { id } of rows) {
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(id < String(next.rows[0]?.id)).toBe(true);
    expect(Math.abs(Number.parseInt(id.replace('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
  }
});

test('each connection has its role and its statement timeout', async () => {
  const shown = async (database: Database) => {
    const { rows } = await sql<{ who: string; patience: string }>`
      select current_user::text as who, current_setting('statement_timeout') as patience`.execute(database);
    return rows[0];
  };
  expect(await shown(db.database)).toEqual({ who: 'bursar_app', patience: '20s' });
  expect(await shown(db.worker)).toEqual({ who: 'bursar_worker', patience: '20s' });
});

test.each(['bursar_app', 'bursar_worker', 'bursar_auditor'])('%s cannot create tables', async (role) => {
  const made = db.owner.transaction().execute(async (tx) => {
    await sql`set local role ${sql.id(role)}`.execute(tx);
    await sql`create table public.mine (id int)`.execute(tx);
  });
  await expect(made).rejects.toMatchObject({ code: '42501' });
});

const coded = (code: string, message = 'It failed.') => Object.assign(new Error(message), { code });

test.each([
  coded('ECONNRESET'),
  coded('EAI_AGAIN'),
  coded('ERR_SOCKET_CONNECTION_TIMEOUT'),
  new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout exceeded when trying to connect'),
  new Error('Query read timeout'),
])('%s is a transient error', (error) => {
  expect(isTransient(error)).toBe(true);
});

test.each([
  new Error('Since it was planned, connection.timeout was blacklisted.'),
  coded('ERR_INVALID_ARG_TYPE'),
  coded('BalanceTooLow', 'The connection is short of money.'),
  new AggregateError([new Error('Two of ours.')]),
  'Connection terminated',
])('%s is not a transient error', (error) => {
  expect(isTransient(error)).toBe(false);
});

test('a database restart is transient, and a statement timeout is not', async () => {
  const ended = sql`select pg_terminate_backend(pg_backend_pid())`.execute(db.owner);
  expect(await ended.then(() => null, isTransient)).toBe(true);
  const slow = db.database.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 50`.execute(tx);
    await sql`select pg_sleep(5)`.execute(tx);
  });
  expect(await slow.then(() => null, isTransient)).toBe(false);
});

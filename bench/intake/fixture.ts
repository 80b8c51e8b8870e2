import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { connect, type Pool } from '../../server/src/core/db/db.ts';
import { platformId } from '../../server/src/core/platform-id.ts';
import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import { loadScale } from '../../server/src/seed/load.ts';
import { addApiKey } from '../../server/src/core/testing/api-key.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { cloneTemplate } from '../../server/src/core/testing/template.ts';

export type Fixture = Awaited<ReturnType<typeof openFixture>>;
type Kind = 'activity' | 'deposits';

/** The rows that a call inserts: their table, its primary key, and what selects those of some items. */
const stored = {
  activity: [{ table: 'activity_event', key: 'id, day', rows: 'id = any($1::uuid[])' }],
  deposits: [
    { table: 'deposit', key: 'id, asset', rows: 'id = any($1::uuid[])' },
    { table: 'transfer', key: 'day, id', rows: `kind = 'deposit' and cause_id = any($1::uuid[])` },
    {
      table: 'transfer_once',
      key: 'kind, cause_id, part, reverses',
      rows: `kind = 'deposit' and cause_id = any($1::uuid[])`,
    },
  ],
} as const;

const named = { activity: 'activity', deposits: 'deposit' } as const;
const longestFilling = 4 * 3_600_000;

/** Opens a database with `size` users and their data, a server on it in its own process, and plain tables beside it. */
export async function openFixture(postgresUrl: string, size: number) {
  console.error(`loading ${size.toLocaleString('en')} users …`);
  const { url, drop } = await cloneTemplate(postgresUrl);
  const settings = { url, connections: 2, statementTimeoutMs: longestFilling, onLostConnection: () => undefined };
  const { database, pool } = connect(settings);
  sealAuditWith(testConfig(url).audit.key);
  await loadScale({ database, pool }, size);
  await addAdmin(database, { username: 'bench' });
  const { secret } = await addApiKey(database, { scopes: ['deposits:write', 'activity:write'] });
  await addBareTables(pool);
  const users = await sampleUsers(pool);
  // Flush dirty pages now, or they are written during the measurement.
  await pool.query('checkpoint');

  const server = fork(path.join(import.meta.dirname, '../lists/ours.ts'));
  server.send({ url });
  const [address] = (await once(server, 'message')) as [string];

  return {
    someUser: () => users[Math.floor(Math.random() * users.length)] ?? '',
    /** Sends the items in one call. Returns the milliseconds until its answer. */
    async send(kind: Kind, items: readonly object[]) {
      const body = JSON.stringify({ items });
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const started = performance.now();
      const response = await fetch(`${address}/api/platform/${kind}`, { method: 'POST', headers, body });
      const answer = await response.text();
      const ms = performance.now() - started;
      if (response.status !== 200 || answer.includes('refused')) throw new Error(answer.slice(0, 1_000));
      return ms;
    },
    insertAgain: (kind: Kind, items: readonly { id: string }[]) => insertAgain(pool, kind, items),
    async [Symbol.asyncDispose]() {
      server.kill('SIGTERM');
      await once(server, 'exit');
      await database.destroy();
      await drop();
    },
  };
}

/** Inserts the rows that the call stored into the plain tables. Returns the milliseconds until they are committed. */
async function insertAgain(pool: Pool, kind: Kind, items: readonly { id: string }[]) {
  const ids = items.map(({ id }) => platformId(named[kind], id));
  const inserts: { text: string; json: string }[] = [];
  for (const { table, rows } of stored[kind]) {
    const columns = await columnsOf(pool, table);
    const { rows: found } = await pool.query<{ json: string; count: string }>(
      `select json_agg(it)::text as json, count(*)::text from (select ${columns} from ${table} where ${rows}) as it`,
      [ids],
    );
    if (Number(found[0]?.count) !== items.length)
      throw new Error(`${table} has ${found[0]?.count} of ${items.length} rows.`);
    const text = `insert into bare.${table} (${columns})
      select ${columns} from json_populate_recordset(null::bare.${table}, $1)`;
    inserts.push({ text, json: found[0]?.json ?? '' });
  }
  const client = await pool.connect();
  const started = performance.now();
  await client.query('begin');
  for (const { text, json } of inserts) await client.query(text, [json]);
  await client.query('commit');
  const ms = performance.now() - started;
  client.release();
  return ms;
}

async function addBareTables(pool: Pool) {
  await pool.query('create schema bare');
  for (const { table, key } of Object.values(stored).flat()) {
    await pool.query(`create table bare.${table} as select ${await columnsOf(pool, table)} from ${table} with no data`);
    await pool.query(`alter table bare.${table} add primary key (${key})`);
  }
}

async function sampleUsers(pool: Pool) {
  const { rows } = await pool.query<{ userId: string }>(
    `select user_id as "userId" from platform_user where retired_at is null order by md5(id::text) limit 100000`,
  );
  return rows.map(({ userId }) => userId);
}

/** Returns the columns that are stored and not computed. */
async function columnsOf(pool: Pool, table: string) {
  const { rows } = await pool.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [`public.${table}`],
  );
  return rows[0]?.columns ?? '';
}

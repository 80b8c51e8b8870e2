import { sql } from 'kysely';
import pg from 'pg';
import { sealAuditWith } from '../../server/src/core/audit/key.ts';
import { runQuery, connect } from '../../server/src/core/db/db.ts';
import { migrate } from '../../server/src/core/db/migrate.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';
import { addUser } from '../../server/src/core/testing/user.ts';
import { faultsOf } from '../processes/fixture.ts';
import type { OwnCluster } from '../processes/cluster.ts';

const userCount = 40;
const name = 'ledger';

export type Ledger = Awaited<ReturnType<typeof openLedger>>;

async function asOwner(url: string, statements: readonly string[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Opens a database with some users in it. Fails unless its durability is as requested. */
export async function openLedger(cluster: OwnCluster, { durable }: { durable: boolean }) {
  await asOwner(cluster.urlOf('postgres'), [`create database ${name}`]);
  if (!durable) {
    await asOwner(cluster.urlOf('postgres'), [
      `alter database ${name} set synchronous_commit = off`,
      `alter system set wal_writer_delay = '10s'`,
      `alter system set wal_writer_flush_after = '100MB'`,
      'select pg_reload_conf()',
    ]);
  }
  const url = cluster.urlOf(name);
  await migrate(url);
  sealAuditWith(testConfig(url).audit.key);
  const settings = { url, statementTimeoutMs: 120_000, onLostConnection: () => undefined };
  const { database: owner } = connect({ ...settings, connections: 2 });
  const { database } = connect({ ...settings, connections: 8, role: 'bursar_app' });
  const users: string[] = [];
  for (let made = 0; made < userCount; made += 1) users.push((await addUser(owner)).id);
  const [set] = await runQuery<{ commit: string; fsync: string }>(
    owner,
    sql`select current_setting('synchronous_commit') as commit, current_setting('fsync') as fsync`,
  );
  if (set?.fsync !== 'on' || (set.commit === 'on') !== durable)
    throw new Error('The database is not set as it should.');
  return {
    database,
    users,
    faults: () => faultsOf({ owner }),
    /** Returns the causes that do not have both of their transfers. */
    async lost(causes: readonly string[]) {
      const rows = await runQuery<{ cause: string }>(
        owner,
        sql`
        select cause::text from unnest(${causes}::uuid[]) as cause
        left join transfer_once as once on once.kind = 'deposit' and once.cause_id = cause
        left join transfer as it on it.day = once.day and it.id = once.transfer_id
        group by cause having count(it.id) <> 2`,
      );
      return rows.map(({ cause }) => cause);
    },
    /** Counts transactions of which only one of the two transfers exists. */
    async halves() {
      const rows = await runQuery<{ cause: string }>(
        owner,
        sql`select cause_id::text as cause from transfer where kind = 'deposit' group by cause_id having count(*) <> 2`,
      );
      return rows.length;
    },
    async close() {
      await Promise.all([database.destroy(), owner.destroy()]);
    },
  };
}

import { CamelCasePlugin, Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { DB } from './schema.gen.ts';

/** Reads: it has no insert, update or delete. A transaction fits too. */
export type Db = Pick<Kysely<DB>, 'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor'>;

/** Writes. Only the edges (routes, jobs, commands) open one. */
export type Tx = Transaction<DB>;

/** What the edges hold: it reads, and opens transactions. */
export type Database = Db & Pick<Kysely<DB>, 'transaction' | 'destroy'>;

export type PoolSettings = {
  url: string;
  /** The group role of migration 0001 that the connections take on; none for the owner. */
  role?: 'bursar_app' | 'bursar_worker';
  connections: number;
  statementTimeoutMs: number;
  onLostConnection: (error: Error) => void;
};

/** Money and counters do not fit a number. Not set for all of `pg`: other libraries count on its plain types. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, BigInt);

const longestSilenceMs = 10_000;

export function connect({ url, role, connections, statementTimeoutMs, onLostConnection }: PoolSettings) {
  const settings = [
    `statement_timeout=${statementTimeoutMs}`,
    // A machine that is cut off in the middle of a transaction must not hold its locks for hours.
    `idle_in_transaction_session_timeout=${longestSilenceMs}`,
    ...(role ? [`role=${role}`] : []),
  ];
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // The database stops first, and says so; this is for when it cannot say anything any more.
    query_timeout: statementTimeoutMs + 5_000,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
  });
  // Without listeners, a restart of PostgreSQL would end this process: the pool speaks for idle connections only.
  pool.on('error', onLostConnection);
  pool.on('connect', (client) => client.on('error', onLostConnection));
  const database: Database = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin()],
  });
  return { database, pool };
}

export type Pool = pg.Pool;

/** The pool for a library that writes its own SQL and expects the types of plain `pg`. */
export function plainQueries(pool: Pool) {
  return { query: (query: pg.QueryConfig) => pool.query({ ...query, types: pg.types }) };
}

/** Queues up all who ask for the same word until the transaction that holds it ends. */
export async function lockFor(tx: Tx, word: 'audit') {
  await sql`select pg_advisory_xact_lock(hashtext(${word}))`.execute(tx);
}

/** The name of the constraint that a failed statement broke. */
export function brokenConstraint(error: unknown) {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

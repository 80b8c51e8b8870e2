import {
  CamelCasePlugin,
  CompiledQuery,
  Kysely,
  PostgresDialect,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { type ProcessRole, refuseOtherRolesThan } from './roles.ts';
import type { DB } from './schema.gen.ts';

/** Reads only: it has no insert, update or delete. A `Tx` can be passed as well. */
export type Db = Pick<Kysely<DB>, 'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor'>;

/** Reads and writes. Routes, jobs, tasks, loops, commands and sign-in open transactions. */
export type Tx = Transaction<DB>;

/** Reads and opens transactions. Services and queries get a `Db` or a `Tx` instead. */
export type Database = Db & Pick<Kysely<DB>, 'transaction' | 'destroy'>;

export type PoolSettings = {
  url: string;
  /** The role that the connections set; the owner sets none. */
  role?: ProcessRole;
  connections: number;
  statementTimeoutMs: number;
  onLostConnection: (error: Error) => void;
};

/** Money and counters do not fit in a number. This is not set globally: other libraries rely on the types of `pg`. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, BigInt);

const idleInTransactionMs = 10_000;

export function connect({ url, role, connections, statementTimeoutMs, onLostConnection }: PoolSettings) {
  const settings = [
    `statement_timeout=${statementTimeoutMs}`,
    // JIT compilation of a complex statement takes seconds, while our statements run in a fraction of one.
    'jit=off',
    // Days and hours are in UTC, whatever the time zone of the database server is.
    'timezone=UTC',
    // A client that loses its network during a transaction must not hold its locks for hours.
    `idle_in_transaction_session_timeout=${idleInTransactionMs}`,
    ...(role ? [`role=${role}`] : []),
  ];
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // The statement timeout of the database comes first. This one covers a database that no longer responds.
    query_timeout: statementTimeoutMs + 5_000,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
    ...(role && refuseOtherRolesThan(role)),
  });
  // Without both listeners, a PostgreSQL restart would crash this process: the pool reports only idle connections.
  pool.on('error', onLostConnection);
  pool.on('connect', (client) => client.on('error', onLostConnection));
  const database: Database = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: preparing(pool) }),
    plugins: [new CamelCasePlugin()],
  });
  return { database, pool };
}

export type Pool = pg.Pool;

/**
 * Marks a statement as prepared, so that each connection plans it once. Use it for frequent statements whose best plan
 * does not depend on the values.
 */
export const prepared = sql`/* prepared */`;
const mark = '/* prepared */';

/** Returns a function that runs a prepared statement with fixed text, without building or translating it per call. */
export function statement<R>(text: string) {
  const marked = `${mark} ${text}`;
  return async (db: Db, ...values: unknown[]) => {
    const executor = db.getExecutor().withoutPlugins();
    return (await executor.executeQuery<R>(CompiledQuery.raw(marked, values))).rows;
  };
}

/**
 * Runs raw SQL without translating names: the SQL must use the names of the database and alias its columns to the names
 * of the code. Translating the statement and each row would take longer than the query itself.
 */
export async function runQuery<R>(db: Pick<Db, 'getExecutor'>, query: RawBuilder<R>) {
  const { rows } = await query.execute({ getExecutor: () => db.getExecutor().withoutPlugins() });
  return rows;
}

/** The names of the prepared statements by text: PostgreSQL identifies a prepared statement by its name. */
const names = new Map<string, string>();

function nameOf(text: string) {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `bursar_${names.size}`;
  names.set(text, name);
  return name;
}

function preparing(pool: pg.Pool) {
  pool.on('connect', (client) => {
    const plain = client as unknown as { query: (...args: unknown[]) => unknown };
    const send = plain.query.bind(client);
    plain.query = (...args) => {
      const [text, values] = args;
      const named = typeof text === 'string' && text.includes(mark);
      return named ? send({ name: nameOf(text), text, values }) : send(...args);
    };
  });
  return pool;
}

/** Wraps the pool for a library that writes its own SQL and expects the default types of `pg`. */
export function plainQueries(pool: Pool) {
  return { query: (query: pg.QueryConfig) => pool.query({ ...query, types: pg.types }) };
}

type LockName = 'audit' | `${'approvals' | 'auth' | 'ledger' | 'referrals' | 'reports' | 'runs'}.${string}`;

/** Returns the time of the database, which is the same for all processes. */
export async function selectNow(db: Db) {
  const [clock] = await runQuery<{ now: Date }>(db, sql`select clock_timestamp() as now`);
  if (!clock) throw new Error('The database did not tell the time.');
  return clock.now;
}

/** Takes the advisory lock of that name until the transaction ends, and waits for any other holder. */
export async function lockFor(tx: Tx, name: LockName) {
  await sql`select pg_advisory_xact_lock(hashtext(${name}))`.execute(tx);
}

/** Takes the same lock in shared mode: shared holders wait for `lockFor` and it for them, but not for each other. */
export async function shareLockFor(tx: Tx, name: LockName) {
  await sql`select pg_advisory_xact_lock_shared(hashtext(${name}))`.execute(tx);
}

/**
 * Whether a statement failed because a concurrent transaction locked or inserted the same rows. Repeated, the
 * transaction sees what the other one did.
 */
export function wasOvertaken(error: unknown) {
  return error instanceof pg.DatabaseError && ['40P01', '40001', '23505'].includes(error.code ?? '');
}

/** Whether the database canceled a statement, as it does after the statement timeout. */
export function wasStopped(error: unknown) {
  return error instanceof pg.DatabaseError && error.code === '57014';
}

/** Whether a statement that does not wait found what it wanted to lock already locked. */
export function isLocked(error: unknown) {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** Whether a statement failed because a table or role does not exist, as in a database that was never migrated. */
export function isMissingTableOrRole(error: unknown) {
  return error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '22023');
}

/** Whether a statement failed because the disk of the database is full. */
export function isDiskFull(error: unknown) {
  return error instanceof pg.DatabaseError && error.code === '53100';
}

/**
 * Whether an error is transient, so that a retry may succeed: the database restarted, was unreachable, had no free
 * connection or resolved a deadlock. A statement timeout is not transient, because a retry would take as long.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|40|53|57P|25P03)/.test(error.code ?? '');
  // A host name with several addresses fails with one error per address.
  if (error instanceof AggregateError) return error.errors.some(isTransient);
  if (!(error instanceof Error)) return false;
  return ('code' in error && networkCode.test(String(error.code))) || lostConnection.test(error.message);
}

/** ECONNRESET and similar codes. Other codes that start with ERR_ are programming errors. */
const networkCode = /^(E(?!RR_)[A-Z_]+|ERR_(SOCKET|TLS|SSL)_\w+)$/;

/** How the messages of `pg` for a lost connection start; these errors have no code. */
const lostConnection =
  /^(Connection terminated|timeout e|Query read timeout|Client (was|has) |There was an error establishing an SSL)/;

/** Returns the name of the constraint that a failed statement violated. */
export function brokenConstraint(error: unknown) {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

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

/** Reads: it has no insert, update or delete. A transaction fits too. */
export type Db = Pick<Kysely<DB>, 'selectFrom' | 'selectNoFrom' | 'with' | 'fn' | 'getExecutor'>;

/** Writes. Only the edges (routes, jobs, commands) open one. */
export type Tx = Transaction<DB>;

/** What the edges hold: it reads, and opens transactions. */
export type Database = Db & Pick<Kysely<DB>, 'transaction' | 'destroy'>;

export type PoolSettings = {
  url: string;
  /** The role that the connections take on; none for the owner. */
  role?: ProcessRole;
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
    // Compiling a statement takes seconds where it has many parts, and running any of ours a fraction of one.
    'jit=off',
    // Days and hours are counted in UTC, wherever the database stands.
    'timezone=UTC',
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
    ...(role && refuseOtherRolesThan(role)),
  });
  // Without listeners, a restart of PostgreSQL would end this process: the pool speaks for idle connections only.
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
 * Marks a statement that each connection plans once and not at every call. For what is asked all the time, and whose
 * best plan is the same whatever the values are.
 */
export const prepared = sql`/* prepared */`;
const mark = '/* prepared */';

/** A statement that is written out once and for all: nothing is built or translated when it is asked again. */
export function statement<R>(text: string) {
  const marked = `${mark} ${text}`;
  return async (db: Db, ...values: unknown[]) => {
    const executor = db.getExecutor().withoutPlugins();
    return (await executor.executeQuery<R>(CompiledQuery.raw(marked, values))).rows;
  };
}

/**
 * Raw SQL in which every name is written as the database knows it, and every answer as our code does. The plugin would
 * go through the statement and through each row to find that out, which takes longer than the answer.
 */
export async function runQuery<R>(db: Db, query: RawBuilder<R>) {
  const { rows } = await query.execute({ getExecutor: () => db.getExecutor().withoutPlugins() });
  return rows;
}

/** PostgreSQL knows a prepared statement by a name; ours is the same for the same text. */
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
    const plain = client as unknown as { query: (...given: unknown[]) => unknown };
    const send = plain.query.bind(client);
    plain.query = (...given) => {
      const [text, values] = given;
      const named = typeof text === 'string' && text.includes(mark);
      return named ? send({ name: nameOf(text), text, values }) : send(...given);
    };
  });
  return pool;
}

/** The pool for a library that writes its own SQL and expects the types of plain `pg`. */
export function plainQueries(pool: Pool) {
  return { query: (query: pg.QueryConfig) => pool.query({ ...query, types: pg.types }) };
}

type Word = 'audit' | `${'auth' | 'ledger' | 'referrals' | 'reports' | 'runs' | 'tasks' | 'withdrawals'}.${string}`;

/** Queues up all who ask for the same word until the transaction that holds it ends. */
export async function lockFor(tx: Tx, word: Word) {
  await sql`select pg_advisory_xact_lock(hashtext(${word}))`.execute(tx);
}

/** Many may hold a word so at once; whoever wants it alone waits for them, and those who come later wait for that one. */
export async function shareLockFor(tx: Tx, word: Word) {
  await sql`select pg_advisory_xact_lock_shared(hashtext(${word}))`.execute(tx);
}

/** Whether the database stopped a statement, which it does where one takes too long. */
export function wasStopped(error: unknown) {
  return error instanceof pg.DatabaseError && error.code === '57014';
}

/** Whether somebody else changed a row that a transaction saw in an older form. */
export function isOvertaken(error: unknown) {
  return error instanceof pg.DatabaseError && error.code === '40001';
}

/** Whether a table or a role does not exist, as in a database that was never migrated. */
export function isUnknownHere(error: unknown) {
  return error instanceof pg.DatabaseError && (error.code === '42P01' || error.code === '22023');
}

/**
 * Whether it says nothing about what was asked: the database was restarted, cut off, out of connections or stopped one
 * of two who waited for each other. The same again may go well; what took too long would only take as long again.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|40|53|57P|25P03)/.test(error.code ?? '');
  // A name with several addresses: each was tried.
  if (error instanceof AggregateError) return error.errors.some(isPassing);
  if (!(error instanceof Error)) return false;
  return ('code' in error && ofTheNetwork.test(String(error.code))) || lostConnection.test(error.message);
}

/** ECONNRESET and the like; what Node calls ERR_ is a mistake of ours but for these. */
const ofTheNetwork = /^(E(?!RR_)[A-Z_]+|ERR_(SOCKET|TLS|SSL)_\w+)$/;

/** How `pg` starts to say so; its errors have no code. */
const lostConnection =
  /^(Connection terminated|timeout e|Query read timeout|Client (was|has) |There was an error establishing an SSL)/;

/** The name of the constraint that a failed statement broke. */
export function brokenConstraint(error: unknown) {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

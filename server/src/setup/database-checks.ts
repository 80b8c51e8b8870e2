import { constants } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { fitsAuditKey } from '#server/core/audit/audit.ts';
import { countForeignCredentials } from '#server/core/auth/credentials.ts';
import type { Config } from '#server/config.ts';
import { runQuery, type Database } from '#server/core/db/db.ts';
import { readMigrationState } from '#server/core/db/migrate.ts';
import { openLog } from '#server/core/log.ts';
import { openTasks } from '#server/core/queue/queue.ts';
import { isAlive } from '#server/core/queue/worker-count.ts';
import { isAllowed } from './file-checks.ts';
import { failure, type Finding, ok, warning } from './finding.ts';
import { inOneLine } from './login-checks.ts';

const oldestPostgres = 15;

export async function checkServer(database: Database): Promise<Finding> {
  const [server] = await runQuery<{ version: string; number: number; encoding: string }>(
    database,
    sql`select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      current_setting('server_encoding') as encoding`,
  );
  const { version = '', number = 0, encoding = '' } = server ?? {};
  if (number < oldestPostgres * 10_000) {
    return failure(`PostgreSQL: ${version} is too old. Use version ${oldestPostgres} or later.`);
  }
  if (encoding !== 'UTF8') {
    return failure(`PostgreSQL: the database is encoded in ${encoding}. Create it with encoding 'UTF8'.`);
  }
  return ok(`PostgreSQL: ${version}`);
}

export async function checkMigrations(database: Database): Promise<Finding> {
  const { missing, unknown } = await readMigrationState(database);
  if (unknown.length > 0) {
    return failure(
      `Tables: newer than this code, which does not know ${unknown.join(', ')}. Use the version that migrated them.`,
    );
  }
  if (missing.length > 0) return failure(`Tables: ${missing.join(', ')} missing. Run "npx bursar migrate".`);
  return ok('Tables: as this version needs them');
}

const largestDifferenceMs = 5_000;

/** Sessions, exports and approval requests expire by this machine's or the database's clock, so both must agree. */
export async function checkClock(database: Database): Promise<Finding> {
  const before = Date.now();
  const [read] = await runQuery<{ ms: number }>(
    database,
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  const here = (before + Date.now()) / 2;
  const differenceMs = Math.round(Math.abs((read?.ms ?? 0) - here));
  if (differenceMs <= largestDifferenceMs) return ok(`Clock: ${differenceMs} ms from the clock of the database`);
  return failure(
    `Clock: ${Math.round(differenceMs / 1000)} s from the clock of the database. Synchronize both machines (NTP).`,
  );
}

export async function checkAuditKey(database: Database): Promise<Finding> {
  if (await fitsAuditKey(database)) return ok('Audit key: fits the newest row of the audit log');
  return failure('Audit key: the newest row of the audit log was sealed with another key. Restore BURSAR_AUDIT_KEY.');
}

export async function checkSecretsKey(database: Database): Promise<Finding> {
  const foreign = await countForeignCredentials(database);
  if (foreign === 0) return ok('Secrets key: opens the password hashes of all administrators');
  return failure(
    `Secrets key: ${foreign} password hashes of administrators were made with another key, so nobody can sign in with ` +
      'them. Restore BURSAR_SECRETS_KEY, or find out who changed them.',
  );
}

/** Opens the queue as the API does on startup. */
export async function checkQueue({ database: { url } }: Config): Promise<Finding> {
  try {
    const queue = await openTasks({ url, role: 'bursar_app', log: openLog('silent') }, []);
    await queue.stop();
    return ok('Queue: installed');
  } catch (error) {
    return failure(`Queue: ${inOneLine(error)}. Run "npx bursar migrate".`);
  }
}

/** A job that the workers run once a minute. */
const everyMinute = 'audit.record-denials';
const seenWithinSeconds = 180;

export async function checkWorker(database: Database): Promise<Finding> {
  const [seen] = await runQuery<{ aliveSeconds: number | null; secondsAgo: number | null }>(
    database,
    sql`select
      (
        select extract(epoch from clock_timestamp() - min(started_at))::int from worker_process
        where ${isAlive}
      ) as "aliveSeconds",
      (
        select extract(epoch from clock_timestamp() - max(completed_on))::int from pgboss.job where name = ${everyMinute}
      ) as "secondsAgo"`,
  );
  const { aliveSeconds = null, secondsAgo = null } = seen ?? {};
  if (aliveSeconds === null) return failure('Worker: none is running. Start "node server/src/worker.ts".');
  if (secondsAgo !== null && secondsAgo <= seenWithinSeconds) return ok(`Worker: finished a job ${secondsAgo} s ago`);
  // The first job is due within a minute.
  if (aliveSeconds <= seenWithinSeconds) return ok(`Worker: started ${aliveSeconds} s ago`);
  return warning('Worker: running, but it has not finished a job lately. Look into its log.');
}

/** Checks that finished exports exist in the folder. If not, the worker that built them uses another folder. */
export async function checkSharedExports(database: Database, { exports: { folder } }: Config): Promise<Finding> {
  const kept = await runQuery<{ id: string }>(
    database,
    sql`select id from report_export where state = 'done' and kept_until > now() order by finished_at desc limit 20`,
  );
  const files = await Promise.all(kept.map(({ id }) => isAllowed(path.join(folder, `${id}.csv`), constants.R_OK)));
  const absent = files.filter((exists) => !exists).length;
  if (absent === 0) return ok(`Shared exports: all ${kept.length} kept files are in ${folder}`);
  return failure(
    `Shared exports: ${absent} of ${kept.length} kept files are not in ${folder}. Let BURSAR_EXPORT_FOLDER of all ` +
      'processes name one shared folder.',
  );
}

const patienceMs = 3_000;

export async function checkApi({ http: { host, port } }: Config): Promise<Finding> {
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const answer = await fetch(`${address}/api/health/ready`, { signal: AbortSignal.timeout(patienceMs) }).catch(
    () => undefined,
  );
  await answer?.body?.cancel();
  if (answer?.ok) return ok(`API: ready at ${address}`);
  if (answer) return failure(`API: answers ${answer.status} at ${address}. Look into its log.`);
  return warning(`API: nothing answers at ${address}. Start "node server/src/main.ts" where it is to run.`);
}

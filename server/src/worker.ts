import { auditJobs } from './audit/jobs.ts';
import { sealAuditWith } from './audit/key.ts';
import { authJobs } from './auth/jobs.ts';
import { type Config, readConfig } from './config.ts';
import { connect } from './db/db.ts';
import { assertMigrated } from './db/migrate.ts';
import { type Log, openLog } from './http/log.ts';
import { startQueue } from './queue/queue.ts';
import { runUntilStopped } from './stop.ts';
import { ticketJobs } from './tickets/jobs.ts';

const statementTimeoutMs = 60_000;

/** The job process: every room's jobs. Any number of them may run. */
async function work(config: Config, log: Log) {
  const { database } = connect({
    url: config.database.url,
    role: 'bursar_worker',
    connections: config.database.connections,
    statementTimeoutMs,
    onLostConnection: (error) => log.warn({ error }, 'a database connection was lost'),
  });
  sealAuditWith(config.audit.key);
  await assertMigrated(database);
  const jobs = [...authJobs(config), ...auditJobs(config), ...ticketJobs];
  const queue = await startQueue({ url: config.database.url, database, log }, jobs);
  log.info('working');

  const stop = async () => {
    await queue.stop();
    await database.destroy();
  };
  return { stop };
}

const config = readConfig();
const log = openLog(config.logLevel);
await runUntilStopped(log, () => work(config, log));

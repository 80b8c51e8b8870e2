import { approvalJobs } from './approvals/jobs.ts';
import { auditJobs } from './audit/jobs.ts';
import { sealAuditWith } from './audit/key.ts';
import { authJobs } from './auth/jobs.ts';
import { type Config, readConfig } from './config.ts';
import { connect } from './db/db.ts';
import { assertSameVersion } from './db/migrate.ts';
import { type Log, openLog } from './http/log.ts';
import { ledgerJobs } from './ledger/jobs.ts';
import { openErrands, startQueue } from './queue/queue.ts';
import { checkErrand, referralErrands, repairErrand } from './referrals/errands.ts';
import { exportErrand, exportErrands, exportsAtOnce } from './reports/errand.ts';
import { reportJobs } from './reports/jobs.ts';
import { payErrand, planErrand } from './runs/begin.ts';
import { runErrands } from './runs/errands.ts';
import { runJobs } from './runs/jobs.ts';
import { resumeRuns } from './runs/wake.ts';
import { endStakes } from './staking/ends.ts';
import { runUntilStopped } from './stop.ts';
import { stakingJobs } from './staking/jobs.ts';
import { taskJobs } from './tasks/jobs.ts';
import { ticketJobs } from './tickets/jobs.ts';
import { userJobs } from './users/jobs.ts';
import { teamJobs } from './users/team-jobs.ts';
import { correctTeams } from './users/team-queries.ts';
import { withdrawalJobs } from './withdrawals/jobs.ts';

const statementTimeoutMs = 60_000;
/** A file of many million rows is one statement. */
const longestCopyMs = 6 * 3_600_000;

/** The job process: every room's jobs. Any number of them may run. */
async function work(config: Config, log: Log) {
  const settings = {
    url: config.database.workerUrl,
    role: 'bursar_worker',
    onLostConnection: (error: Error) => log.warn({ error }, 'a database connection was lost'),
  } as const;
  const { database } = connect({ ...settings, connections: config.database.connections, statementTimeoutMs });
  const { pool: copying } = connect({ ...settings, connections: exportsAtOnce, statementTimeoutMs: longestCopyMs });
  sealAuditWith(config.audit.key);
  await assertSameVersion(database);
  const { askFor, stop: stopAsking } = await openErrands(
    { url: config.database.workerUrl, role: 'bursar_worker', log },
    [exportErrand, planErrand, payErrand, checkErrand, repairErrand],
  );
  const jobs = [
    ...authJobs(config),
    ...auditJobs(config),
    ...ledgerJobs,
    ...approvalJobs,
    ...runJobs(askFor),
    ...ticketJobs,
    ...userJobs,
    ...teamJobs,
    ...withdrawalJobs,
    ...stakingJobs,
    ...taskJobs,
    ...reportJobs({ exports: config.exports, askFor }),
  ];
  const errands = [
    ...exportErrands({ database, pool: copying, folder: config.exports.folder }),
    ...runErrands({ database, askFor, endStakes }),
    ...referralErrands({ database, correctTeams }),
  ];
  const queue = await startQueue({ url: config.database.workerUrl, database, log }, jobs, errands);
  await resumeRuns(database, askFor);
  log.info('working');

  const stop = async () => {
    await queue.stop();
    await stopAsking();
    await copying.end();
    await database.destroy();
  };
  return { stop };
}

const config = readConfig();
const log = openLog(config.logLevel);
await runUntilStopped(log, () => work(config, log));

import { approvalJobs } from './core/approvals/jobs.ts';
import { auditJobs } from './core/audit/jobs.ts';
import { sealAuditWith } from './core/audit/key.ts';
import { authJobs } from './core/auth/jobs.ts';
import { type Config, readConfig } from './config.ts';
import { connect } from './core/db/db.ts';
import { assertSameVersion } from './core/db/migrate.ts';
import { type Log, openLog } from './core/log.ts';
import { ledgerJobs } from './core/ledger/jobs.ts';
import { openTasks, startQueue } from './core/queue/queue.ts';
import { checkTask, referralTasks, repairTask } from './features/referrals/tasks.ts';
import { exportTask, exportTasks, exportsAtOnce } from './features/reports/tasks.ts';
import { reportJobs } from './features/reports/jobs.ts';
import { runTasks } from './features/runs/tasks.ts';
import { runJobs } from './features/runs/jobs.ts';
import { requeueAllRuns } from './features/runs/recovery.ts';
import { endStakes } from './features/staking/ends.ts';
import { runUntilStopped } from './stop.ts';
import { stakingJobs } from './features/staking/jobs.ts';
import { taskJobs } from './features/tasks/jobs.ts';
import { ticketJobs } from './features/tickets/jobs.ts';
import { userJobs } from './features/users/jobs.ts';
import { teamJobs } from './features/users/team-jobs.ts';
import { correctTeams } from './features/users/team-queries.ts';
import { withdrawalJobs } from './features/withdrawals/jobs.ts';
import { payTask, planTask } from './features/runs/store/task-names.ts';

const statementTimeoutMs = 60_000;
/** An export of many million rows is one statement. */
const longestCopyMs = 6 * 3_600_000;

/** Starts a worker with the jobs and tasks of every feature. Any number of workers may run. */
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
  const { enqueue, stop: stopEnqueueing } = await openTasks(
    { url: config.database.workerUrl, role: 'bursar_worker', log },
    [exportTask, planTask, payTask, checkTask, repairTask],
  );
  const jobs = [
    ...authJobs(config),
    ...auditJobs(config),
    ...ledgerJobs,
    ...approvalJobs,
    ...runJobs(enqueue),
    ...ticketJobs,
    ...userJobs,
    ...teamJobs,
    ...withdrawalJobs,
    ...stakingJobs,
    ...taskJobs,
    ...reportJobs({ exports: config.exports, enqueue }),
  ];
  const tasks = [
    ...exportTasks({ database, pool: copying, folder: config.exports.folder }),
    ...runTasks({ database, enqueue, endStakes }),
    ...referralTasks({ database, correctTeams }),
  ];
  const queue = await startQueue({ url: config.database.workerUrl, database, log }, jobs, tasks);
  await requeueAllRuns(database, enqueue);
  log.info('working');

  const stop = async () => {
    await queue.stop();
    await stopEnqueueing();
    await copying.end();
    await database.destroy();
  };
  return { stop };
}

const config = readConfig();
const log = openLog(config.logLevel);
await runUntilStopped(log, () => work(config, log));

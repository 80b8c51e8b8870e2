import { Feature } from 'contract/core/endpoint.ts';
import { approvalJobs } from './core/approvals/jobs.ts';
import { findUnsigned } from './core/approvals/unsigned.ts';
import { auditJobs } from './core/audit/jobs.ts';
import { sealAuditWith } from './core/audit/key.ts';
import { startPublisher } from './core/audit/publisher.ts';
import { verificationTasks, verifyTask } from './core/audit/verification-work.ts';
import { authJobs } from './core/auth/jobs.ts';
import { readWorkerConfig, type WorkerConfig } from './config.ts';
import { connect, type Database } from './core/db/db.ts';
import { refuseWideLogin } from './core/db/logins.ts';
import { assertSameVersion } from './core/db/migrate.ts';
import { holdKeys } from './core/keys.ts';
import { type Log, openLog } from './core/log.ts';
import { outboxJobs } from './core/outbox/jobs.ts';
import { ledgerJobs } from './core/ledger/jobs.ts';
import { prepareMonths as prepareLedgerMonths } from './core/ledger/queries.ts';
import { longestVerificationSeconds } from './core/ledger/verification.ts';
import { verificationJobs } from './core/ledger/verification-jobs.ts';
import { countJob } from './core/queue/count-job.ts';
import { startLoop } from './core/queue/loop.ts';
import { type Enqueue, openTasks, startQueue } from './core/queue/queue.ts';
import { recordPresence } from './features/health/presence.ts';
import { dispatchEvents } from './features/integrations/webhooks/dispatch.ts';
import { webhookJobs } from './features/integrations/webhooks/jobs.ts';
import { openSender } from './features/integrations/webhooks/sender.ts';
import { sendTask } from './features/integrations/webhooks/task-names.ts';
import { webhookTasks } from './features/integrations/webhooks/tasks.ts';
import { checkTask, referralTasks, repairTask } from './features/referrals/tasks.ts';
import { exportTask, exportTasks, exportsAtOnce } from './features/reports/tasks.ts';
import { reportJobs } from './features/reports/jobs.ts';
import { prepareMonths as prepareRunMonths } from './features/runs/planning/plan-queries.ts';
import { runTasks } from './features/runs/tasks.ts';
import { processRuns } from './features/runs/work.ts';
import { runJobs } from './features/runs/jobs.ts';
import { requeueAllPlans } from './features/runs/recovery.ts';
import { endStakes } from './features/staking/ends.ts';
import { foldCounts as foldStakeCounts } from './features/staking/queries.ts';
import { foldCounts as foldTaskCounts } from './features/tasks/queries.ts';
import { foldCounts as foldTicketCounts } from './features/tickets/queries.ts';
import { foldCounts as foldUserCounts } from './features/users/counts.ts';
import { runUntilStopped } from './stop.ts';
import { teamJobs } from './features/users/team-jobs.ts';
import { correctTeams } from './features/users/team-queries.ts';
import { withdrawalJobs } from './features/withdrawals/jobs.ts';
import { foldCounts as foldWithdrawalCounts } from './features/withdrawals/queries.ts';
import { planTask } from './features/runs/store/task-names.ts';
import { bookQuestions } from './verify.ts';

const statementTimeoutMs = 60_000;
/** An export of many million rows is one statement. */
const longestCopyMs = 6 * 3_600_000;

/** Starts a worker with the jobs and tasks of every feature. Any number of workers may run. */
async function work(config: WorkerConfig, log: Log) {
  const settings = {
    url: config.database.workerUrl,
    role: 'bursar_worker',
    onLostConnection: (error: Error) => log.warn({ error }, 'a database connection was lost'),
  } as const;
  const { database } = connect({ ...settings, connections: config.database.connections, statementTimeoutMs });
  const { pool: copying } = connect({
    ...settings,
    // One more for the archive, which can take hours.
    connections: exportsAtOnce + 1,
    statementTimeoutMs: longestCopyMs,
  });
  const { database: verifying } = connect({
    ...settings,
    // A full verification waits for an incremental one.
    connections: 2,
    statementTimeoutMs: longestVerificationSeconds * 1_000,
  });
  sealAuditWith(config.audit.key);
  holdKeys(config);
  if (config.database.logins === 'narrow') await refuseWideLogin(database, 'bursar_worker');
  await assertSameVersion(database);
  await prepareAllMonths(database, log);
  const { enqueue, stop: stopEnqueueing } = await openTasks(
    { url: config.database.workerUrl, role: 'bursar_worker', log },
    [exportTask, planTask, checkTask, repairTask, sendTask, verifyTask],
  );
  const stopping = new AbortController();
  const jobs = [
    ...featureJobs(config, { enqueue, archive: { pool: copying, ...config.archive }, stopping: stopping.signal }),
    ...verificationJobs({
      database: verifying,
      questions: bookQuestions,
      log,
      stopping: stopping.signal,
      ...config.verification,
    }),
  ];
  const tasks = [
    ...exportTasks({ database, pool: copying, folder: config.exports.folder }),
    ...runTasks(database),
    ...referralTasks({ database, correctTeams }),
    ...verificationTasks({ database: verifying, heads: config.audit, verifyDecisions: findUnsigned, log }),
    ...webhookTasks({ database, sender: openSender(config.webhooks), secretsKey: config.secretsKey }),
  ];
  const queue = await startQueue({ url: config.database.workerUrl, database, log }, jobs, tasks);
  await requeueAllPlans(database, enqueue);
  const loops = await startLoops(config, { database, enqueue, log });
  const publisher = await startPublisher(database, config.audit, log);
  const presence = await recordPresence(database, log);
  log.info('working');

  const stop = async () => {
    stopping.abort();
    await Promise.all([...loops.map((loop) => loop.stop()), queue.stop()]);
    await publisher.stop();
    await presence.stop();
    await stopEnqueueing();
    await copying.end();
    await verifying.destroy();
    await database.destroy();
  };
  return { stop };
}

type LoopDeps = { database: Database; enqueue: Enqueue; log: Log };

async function startLoops(config: WorkerConfig, { database, enqueue, log }: LoopDeps) {
  const settings = { url: config.database.workerUrl, log };
  return [
    await startLoop(settings, {
      name: 'runs.process',
      wakesOn: ['runs', 'maintenance'],
      work: (signal) => processRuns({ database, endStakes }, signal),
    }),
    await startLoop(settings, {
      name: 'integrations.dispatch',
      // Every feature can record events.
      wakesOn: Feature.options,
      work: (signal) => dispatchEvents({ database, enqueue }, signal),
    }),
  ];
}

/** The counters behind the totals of lists. */
const folds = [foldUserCounts, foldTicketCounts, foldWithdrawalCounts, foldStakeCounts, foldTaskCounts];

const featureJobs = (config: WorkerConfig, deps: Parameters<typeof runJobs>[0]) => [
  ...authJobs(config),
  ...auditJobs(deps),
  ...outboxJobs,
  ...ledgerJobs,
  ...approvalJobs,
  countJob(folds),
  ...runJobs(deps),
  ...teamJobs,
  ...withdrawalJobs,
  ...webhookJobs,
  ...reportJobs({ exports: config.exports, enqueue: deps.enqueue }),
];

/** Creates the months that are missing after a long time without a worker, before anything is posted in them. */
async function prepareAllMonths(database: Database, log: Log) {
  for (const prepare of [prepareLedgerMonths, prepareRunMonths]) {
    await database
      .transaction()
      .execute((tx) => prepare(tx))
      .catch((error: unknown) => log.warn({ error }, 'the months to come could not be prepared and are tried again'));
  }
}

const config = readWorkerConfig();
const log = openLog(config.logLevel);
await runUntilStopped(log, () => work(config, log));

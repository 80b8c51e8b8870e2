import { formatDifference } from 'contract/ledger-differences.ts';
import type { VerificationForm } from 'contract/ledger-verification.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Log } from '#server/core/log.ts';
import { type Job, ShuttingDown } from '#server/core/queue/queue.ts';
import { longestVerificationSeconds, verifyLedger } from './verification.ts';
import type { AllQuestions } from './verify.ts';

/** When the worker verifies the ledger: what is new every ten minutes, and everything at night, or on Sunday night. */
const crons = { incremental: '*/10 * * * *', full: { daily: '41 1 * * *', weekly: '41 1 * * 0' } };

type Deps = {
  /** Its statements may run as long as a verification. */
  database: Database;
  questions: AllQuestions;
  fullEvery: keyof typeof crons.full;
  log: Log;
  /** Aborts when the process stops. */
  stopping: AbortSignal;
};

export function verificationJobs({ fullEvery, stopping, ...deps }: Deps): Job[] {
  const job = (name: Job['name'], cron: string, form: VerificationForm): Job => ({
    name,
    cron,
    longestSeconds: longestVerificationSeconds,
    run: () => untilStopped(stopping, verify({ ...deps, job: name, form })),
  });
  return [
    job('ledger.verify', crons.incremental, 'incremental'),
    job('ledger.verify-full', crons.full[fullEvery], 'full'),
  ];
}

type Verifying = Omit<Deps, 'fullEvery' | 'stopping'> & { job: string; form: VerificationForm };

/** Differences do not make the job fail: the verdict is recorded, and a retry would find the same. */
async function verify({ database, questions, log, job, form }: Verifying) {
  // The next incremental verification follows in minutes, the next full one in a day or a week.
  const verified = await verifyLedger(database, { form, questions, waits: form === 'full' });
  if (!verified) {
    log.info({ job }, 'another verification is running');
    return;
  }
  for (const difference of verified.differences) {
    log.error({ job, error: new Error(formatDifference(difference)) }, 'the books do not balance');
  }
}

/**
 * Rejects as soon as the process stops: one statement of a verification can take longer than a stop may. PostgreSQL
 * rolls back what the process leaves behind.
 */
async function untilStopped(stopping: AbortSignal, verifying: Promise<void>) {
  const stopped = AbortSignal.any([stopping]);
  const { promise, reject } = Promise.withResolvers<never>();
  stopped.addEventListener('abort', () => reject(new ShuttingDown()));
  await Promise.race([verifying, promise]);
}

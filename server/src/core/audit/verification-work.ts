import { type AuditVerification, Finding } from 'contract/audit-verification.ts';
import { formatFinding } from 'contract/audit-findings.ts';
import { z } from 'zod';
import type { Database, Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import type { Log } from '#server/core/log.ts';
import { type Enqueue, isEnqueued, type Job, ShuttingDown, type Task } from '#server/core/queue/queue.ts';
import { Refusal } from '#server/core/refusal.ts';
import { recordAudit } from './audit.ts';
import type { Verifying } from './head.ts';
import { type VerifyDecisions, verifyEverything } from './verification.ts';
import {
  endVerification,
  insertVerification,
  selectCurrent,
  selectLastEnded,
  startVerification,
  updateProgress,
} from './verification-queries.ts';

export const verifyTask = { name: 'audit.verify', unending: true } as const;

/** Starts a verification on the worker. Refuses while another one is waiting or running. */
export async function requestVerification(tx: Tx, { actor, enqueue }: { actor: { id: string }; enqueue: Enqueue }) {
  const inserted = await insertVerification(tx, actor.id);
  if (!inserted) throw new Refusal('VerificationRunning');
  await enqueue(tx, verifyTask.name, inserted.id);
  await announce(tx, { feature: 'audit', id: inserted.id });
  await recordAudit(tx, { actorId: actor.id, action: 'audit.verify', subjectId: inserted.id });
  const verification = await selectCurrent(tx);
  if (!verification) throw new Error('The verification is gone from the transaction that requested it.');
  return { verification: shown(verification) };
}

export async function readVerifications(db: Db) {
  const [current, last] = [await selectCurrent(db), await selectLastEnded(db)];
  return { current: current ? shown(current) : null, last: last ? shown(last) : null };
}

type Row = NonNullable<Awaited<ReturnType<typeof selectCurrent>>>;

const shown = ({ state, rowsDone, rowsTotal, findings, ...row }: Row): AuditVerification => ({
  ...row,
  state: state as AuditVerification['state'],
  rowsDone: Number(rowsDone),
  // Rows are added while it runs.
  rowsTotal: Math.max(Number(rowsTotal), Number(rowsDone)),
  findings: z.array(Finding).parse(findings ?? []),
});

type Deps = { database: Database; heads: Verifying; verifyDecisions: VerifyDecisions; log: Log };

export const verificationTasks = (deps: Deps): Task[] => [
  { ...verifyTask, atOnce: 1, run: (id, signal) => runVerification(deps, { id, signal }) },
];

export type NightlyDeps = { enqueue: Enqueue };

/** Every night, so that an altered row is noticed without anyone asking. */
export const nightlyVerification = ({ enqueue }: NightlyDeps): Job => ({
  name: 'audit.verify-nightly',
  cron: '23 2 * * *',
  run: (database) =>
    database.transaction().execute(async (tx) => {
      const waiting = (await insertVerification(tx, null)) ?? (await selectCurrent(tx));
      // A row without a task was not written by the API, or its task was deleted. It would keep all others from starting.
      if (waiting && !(await isEnqueued(tx, [verifyTask.name], waiting.id))) {
        await enqueue(tx, verifyTask.name, waiting.id);
      }
    }),
});

const progressMs = 500;

/** Verifies the log and stores progress and verdict. What it finds is logged, and does not make the task fail. */
export async function runVerification(
  { database, log, ...checks }: Deps,
  { id, signal }: { id: string; signal: AbortSignal },
) {
  const inOwn = <T>(work: (tx: Tx) => Promise<T>) =>
    database.transaction().execute(async (tx) => {
      const result = await work(tx);
      await announce(tx, { feature: 'audit', id });
      return result;
    });
  if (!(await inOwn((tx) => startVerification(tx, id)))) return;
  let reportedAt = performance.now();
  const onProgress = async (rows: bigint) => {
    signal.throwIfAborted();
    if (performance.now() - reportedAt < progressMs) return;
    reportedAt = performance.now();
    await inOwn((tx) => updateProgress(tx, id, rows));
  };
  try {
    const { rows, findings } = await verifyEverything(database, { ...checks, onProgress });
    await inOwn((tx) => endVerification(tx, id, { state: 'done', rowsDone: rows, findings }));
    for (const finding of findings) {
      log.error({ job: verifyTask.name, error: new Error(formatFinding(finding)) }, 'the audit log is not sound');
    }
  } catch (error) {
    if (signal.reason instanceof ShuttingDown) throw error;
    log.error({ job: verifyTask.name, error }, 'failed');
    await inOwn((tx) => endVerification(tx, id, { state: 'failed' }));
  }
}

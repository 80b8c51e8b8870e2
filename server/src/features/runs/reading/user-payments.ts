import type { Db } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { selectFirstKeptDay } from '../store/archived.ts';
import { selectRun, selectRuns } from '../store/run-queries.ts';
import { paymentOf } from './payments.ts';
import { type Place, selectUserPayments } from './user-payment-queries.ts';

/** Returns a page of the lines that all runs have for a user, newest run first. Refuses a cursor of an unknown run. */
export async function listUserPayments(db: Db, { user, before }: { user: string; before?: string | undefined }) {
  const [runId, cause] = before?.split('.') ?? [];
  const place: Place | undefined = runId === undefined ? undefined : { runId, cause };
  if (runId !== undefined && !(await selectRun(db, runId))) throw new Refusal('InvalidCursor');
  const { rows, last } = await selectUserPayments(db, { user, place });
  const runs = new Map((await selectRuns(db, [...new Set(rows.map((row) => row.runId))])).map((run) => [run.id, run]));
  const payments = rows.flatMap(({ runId: of, ...line }) => {
    const run = runs.get(of);
    return run ? [paymentOf(run, line)] : [];
  });
  return {
    payments,
    olderThan: last && [last.runId, last.cause].filter((id) => id !== undefined).join('.'),
    archivedBefore: await selectFirstKeptDay(db),
  };
}

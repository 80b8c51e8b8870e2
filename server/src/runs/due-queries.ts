import type { JobName } from 'contract/jobs.ts';
import type { RunState } from 'contract/runs.ts';
import { sql } from 'kysely';
import { ask, type Db, type Tx } from '#server/db/db.ts';

type Moment = { kind: JobName; dueAt: Date };

export async function isNoted(db: Db, { kind, dueAt }: Moment) {
  const noted = db.selectFrom('runDue').select('dueAt').where('kind', '=', kind).where('dueAt', '=', dueAt);
  return (await noted.executeTakeFirst()) !== undefined;
}

export async function selectLastDue(db: Db, kind: JobName) {
  const last = db.selectFrom('runDue').select('dueAt').where('kind', '=', kind).orderBy('dueAt', 'desc').limit(1);
  return (await last.executeTakeFirst())?.dueAt;
}

type Due = Moment &
  ({ outcome: 'fired'; runId: string } | { outcome: 'skipped' | 'overlapped' | 'missed'; why: string });

export async function insertDue(tx: Tx, due: Due) {
  await tx
    .insertInto('runDue')
    .values(due)
    .onConflict((conflict) => conflict.columns(['kind', 'dueAt']).doNothing())
    .execute();
}

type Entry = { kind: JobName; at: Date; reverses: string | null };
type Noted =
  | (Entry & { outcome: 'fired' | 'by-hand'; why: null; runId: string; period: string; state: RunState })
  | (Entry & { outcome: 'skipped' | 'overlapped' | 'missed'; why: string; runId: null; period: null; state: null });

/** What was due, and what people began by themselves. */
export function selectNoted(db: Db, { begins, ends }: { begins: Date; ends: Date }) {
  return ask<Noted>(
    db,
    sql`
    select due.kind, due.due_at as at, due.outcome, due.why, due.run_id as "runId", run.period, run.state,
      run.reverses
    from run_due as due left join run on run.id = due.run_id
    where due.due_at >= ${begins} and due.due_at < ${ends}
    union all
    select kind, created_at, 'by-hand', null, id, period, state, reverses from run
    where created_at >= ${begins} and created_at < ${ends} and planned_by is not null
    order by 2`,
  );
}

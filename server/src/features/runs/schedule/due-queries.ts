import type { Reversed, RunState } from 'contract/run-states.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import type { Reason } from 'contract/runs-reasons.ts';
import { sql } from 'kysely';
import { runQuery, type Db, type Tx } from '#server/core/db/db.ts';
import { reversedOf } from '../store/outcome-queries.ts';
import { stateOf, wasReversed } from '../store/run-queries.ts';

type Occurrence = { kind: RunKind; dueAt: Date };

/** Returns whether an unpaid day needs an administrator: the schedule tried it, or a run was started or refused. */
export async function wasAttempted(db: Db, { kind, day, dueAt }: Occurrence & { day: string }) {
  const [attempt] = await runQuery<{ had: boolean }>(
    db,
    sql`
    select exists (select from run_due where kind = ${sql.lit(kind)} and due_at = ${dueAt}) or exists (
      select from run where kind = ${sql.lit(kind)} and day = ${day}::date and reverses is null
        and (started_at is not null or state = 'refused')) as had`,
  );
  return attempt?.had ?? false;
}

export async function selectLastDue(db: Db, kind: RunKind) {
  const last = db.selectFrom('runDue').select('dueAt').where('kind', '=', kind).orderBy('dueAt', 'desc').limit(1);
  return (await last.executeTakeFirst())?.dueAt;
}

/** Counts the occurrences since a time that overlapped with an open run. */
export async function countOverlapped(db: Db, { kind, since }: { kind: RunKind; since: Date }) {
  const [counted] = await runQuery<{ occurrences: number }>(
    db,
    sql`select count(*)::int as occurrences from run_due
      where kind = ${sql.lit(kind)} and outcome = 'overlapped' and noted_at > ${since}`,
  );
  return counted?.occurrences ?? 0;
}

/** Returns the last run of a period, and its newest reversal for all users, if any. */
export async function selectLastPayment(db: Db, { kind, period }: { kind: RunKind; period: string }) {
  const [last] = await runQuery<{ id: string; reversedAt: Date | null; isFull: boolean }>(
    db,
    sql`
    select paid.id, reversal.at as "reversedAt", reversal."isFull"
    from run as paid
    left join lateral (
      select back.ended_at as at, back.state = 'completed' as "isFull" from run as back
      where back.reverses = paid.id and ${wasReversed} order by back.created_at desc limit 1
    ) as reversal on true
    where paid.kind = ${sql.lit(kind)} and paid.period = ${period} and paid.reverses is null
    order by paid.created_at desc, paid.id desc limit 1`,
  );
  if (!last) return undefined;
  const { id, reversedAt: at, isFull } = last;
  return { id, reversal: at ? { at, isFull } : undefined };
}

type Denial = { by: string; reason: string };

/** Returns the last approval request of a run, and its denial if it was denied. */
export async function selectLastRequest(db: Db, runId: string) {
  const [request] = await runQuery<{ id: string; denial: Denial | null }>(
    db,
    sql`
    select approval.id, case when approval.state = 'denied'
      then json_build_object('by', decider.username, 'reason', approval.reason) end as denial
    from approval left join admin as decider on decider.id = approval.decided_by
    where approval.kind = 'run' and approval.subject_id = ${runId}::uuid
    order by approval.requested_at desc limit 1`,
  );
  return request;
}

type Due = Occurrence &
  ({ outcome: 'triggered'; runId: string } | { outcome: 'skipped' | 'overlapped' | 'missed'; why: Reason });

export async function insertDue(tx: Tx, due: Due) {
  await tx
    .insertInto('runDue')
    .values(due)
    .onConflict((conflict) => conflict.columns(['kind', 'dueAt']).doNothing())
    .execute();
}

type Entry = { kind: RunKind; at: Date; reverses: string | null };
type Known = { period: string; state: RunState; reversed: Reversed };
type Noted =
  | (Entry & { outcome: 'triggered' | 'manual'; why: null; runId: string } & Known)
  | (Entry & { outcome: 'skipped' | 'overlapped' | 'missed'; why: Reason; runId: null } & Record<keyof Known, null>);

/** Returns the recorded occurrences and the runs that administrators planned. */
export function selectNoted(db: Db, { starts, ends }: { starts: Date; ends: Date }) {
  return runQuery<Noted>(
    db,
    sql`
    select due.kind, due.due_at as at, due.outcome, due.why, due.run_id as "runId", item.period, ${stateOf} as state,
      ${reversedOf} as reversed, item.reverses
    from run_due as due left join run as item on item.id = due.run_id
    where due.due_at >= ${starts} and due.due_at < ${ends}
    union all
    select item.kind, item.created_at, 'manual', null, item.id, item.period, ${stateOf}, ${reversedOf}, item.reverses
    from run as item
    where item.created_at >= ${starts} and item.created_at < ${ends} and item.planned_by is not null
    order by 2`,
  );
}

import { sql } from 'kysely';
import { runQuery, type Db, type Tx } from '#server/core/db/db.ts';
import type { Inputs } from '../kinds/kind.ts';

export type PlannedRange = { runId: string; no: number; after: string; to: string; snapshot: string; inputs: Inputs };

export async function insertRange(tx: Tx, { runId, no, after, to, snapshot, inputs }: PlannedRange) {
  await sql`insert into run_range (run_id, no, after_user, to_user, snapshot, inputs)
    values (${runId}::uuid, ${no}, ${after}::uuid, ${to}::uuid, ${snapshot}, ${JSON.stringify(inputs)}::jsonb)`.execute(
    tx,
  );
}

/** The ranges of one plan, or of all plans but those that this process makes. */
export type RangesOf = { runId: string } | { notOf: readonly string[] };

/** Locks the next range that no other transaction has locked. The lock ends with the transaction. */
export async function claimRange(tx: Tx, of: RangesOf) {
  const chosen = 'runId' in of ? sql`run_id = ${of.runId}::uuid` : sql`run_id <> all(${[...of.notOf]}::uuid[])`;
  const [range] = await runQuery<PlannedRange>(
    tx,
    sql`select run_id as "runId", no, after_user as after, to_user as to, snapshot, inputs from run_range
      where ${chosen} and exists (select from run where run.id = run_id and run.state = 'planning')
      order by run_id, no limit 1 for update skip locked`,
  );
  return range;
}

export async function deleteRange(tx: Tx, { runId, no }: PlannedRange) {
  await tx.deleteFrom('runRange').where('runId', '=', runId).where('no', '=', no).execute();
}

/** Deletes the ranges of a plan, and those of plans that were cancelled. Waits for the workers that claimed one. */
export async function deleteRanges(tx: Tx, runId: string) {
  await sql`delete from run_range
    where run_id = ${runId}::uuid or run_id in (select id from run where state <> 'planning')`.execute(tx);
}

export async function hasRanges(db: Db, runId: string) {
  const found = await db.selectFrom('runRange').select('no').where('runId', '=', runId).limit(1).executeTakeFirst();
  return found !== undefined;
}

export async function isWritten(db: Db, { runId, no }: PlannedRange) {
  const found = await db
    .selectFrom('runChunk')
    .select('no')
    .where('runId', '=', runId)
    .where('no', '=', no)
    .executeTakeFirst();
  return found !== undefined;
}

/** Marks the snapshot as in use by the process that makes the plan, until its transaction ends. */
export async function holdSnapshot(tx: Tx, snapshot: string) {
  await sql`select pg_advisory_xact_lock(hashtext(${`runs.snapshot ${snapshot}`}))`.execute(tx);
}

/** Whether the process that exported the snapshot still makes the plan. */
export async function isSnapshotHeld(tx: Tx, snapshot: string) {
  const [lock] = await runQuery<{ free: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock_shared(hashtext(${`runs.snapshot ${snapshot}`})) as free`,
  );
  return lock?.free === false;
}

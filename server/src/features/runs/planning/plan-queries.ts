import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Db, type Tx } from '#server/core/db/db.ts';
import { lineColumns, type Inputs, type Plan, type Planning } from '../kinds/kind.ts';
import { digestOfLines } from '../store/chunk-queries.ts';
import { everyone, type Range } from '../store/ranges.ts';
import type { RunRow } from '../store/run-queries.ts';
import { transitionOf } from '../store/transitions.ts';

/** Small enough for a transaction of a fraction of a second, and large enough for a small number of chunks. */
const linesInChunk = 5_000;

/** Exports a snapshot that other transactions can import until this one ends. */
export async function exportSnapshot(tx: Tx) {
  const [exported] = await runQuery<{ snapshot: string; at: Date }>(
    tx,
    sql`select pg_export_snapshot() as snapshot, now() as at`,
  );
  if (!exported) throw new Error('The database gave no snapshot.');
  return exported;
}

/** Must be the first statement of a transaction. */
export async function importSnapshot(tx: Tx, snapshot: string) {
  await sql`set transaction snapshot ${sql.lit(snapshot)}`.execute(tx);
}

/** Tries to lock the planning of a run for one process. The lock ends with the transaction, however it ends. */
export async function holdPlan(tx: Tx, runId: string) {
  const [lock] = await runQuery<{ held: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(hashtext(${`runs.plan ${runId}`})) as held`,
  );
  return lock?.held ?? false;
}

export const keepAlive = (tx: Tx) => sql`select 1`.execute(tx);

export async function isPlanning(db: Db, runId: string) {
  const run = await db.selectFrom('run').select('state').where('id', '=', runId).executeTakeFirst();
  return run?.state === 'planning';
}

/** Returns the last user of the next chunk, or undefined if no users are left. */
export async function selectEnd(db: Db, users: RawBuilder<{ userId: string }>, lines = linesInChunk) {
  const nth = (place: number) => sql`(select "userId" from (${users}) as one offset ${sql.lit(place - 1)} limit 1)`;
  const [end] = await runQuery<{ first: string | null; full: string | null }>(
    db,
    sql`select ${nth(1)} as first, ${nth(lines)} as full`,
  );
  return end?.full ?? (end?.first == null ? undefined : everyone);
}

type Chunk = { run: Planning; plan: Plan; no: number; range: Range; inputs: Inputs };

/** Inserts the lines of a chunk and their sums in one statement. */
export async function insertChunk(tx: Tx, { run, plan, no, range, inputs }: Chunk) {
  const columns = lineColumns.slice(0, -3).join(', ');
  await runQuery(
    tx,
    sql`
    with line as materialized (${plan.lines(run, range, inputs)}),
    stored as (
      insert into run_line (run_id, day, chunk, ${sql.raw(columns)})
      select ${run.id}::uuid, ${run.day}::date, ${no}::integer, ${sql.raw(columns)} from line order by user_id, cause_id
    )
    insert into run_chunk (run_id, no, after_user, to_user, digest, lines, skipped, budget, base, bonus, loyalty,
      closing, unranked, withheld, unshared, rounded, largest, completes, returned)
    select ${run.id}::uuid, ${no}, ${range.after}::uuid, ${range.to}::uuid, ${digestOfLines}, count(*), count(skip),
      sum(budget), sum(base), sum(bonus), sum(loyalty), sum(closing), sum(unranked),
      coalesce(sum(budget) filter (where skip is not null), 0), sum(unshared),
      sum(case when skip is null then budget - base - bonus - loyalty - unranked - unshared else 0 end),
      max(base + bonus + closing), count(*) filter (where completes),
      coalesce(sum(input) filter (where completes), 0)
    from line having count(*) > 0`,
  );
}

/** Deletes the last chunk of a plan and its lines. Returns whether there was one. */
export async function deleteLastChunk(tx: Tx, { id, day }: Pick<Planning, 'id' | 'day'>) {
  const { rows } = await sql`
    with last as (
      delete from run_chunk where run_id = ${id}::uuid
        and no = (select max(no) from run_chunk where run_id = ${id}::uuid)
      returning after_user, to_user
    ),
    emptied as (
      delete from run_line as line using last
      where line.run_id = ${id}::uuid and line.day = ${day}::date
        and line.user_id > last.after_user and line.user_id <= last.to_user
    )
    select from last`.execute(tx);
  return rows.length > 0;
}

type Planned = { inputs: Inputs; planHash: string; at: Date };

export async function updatePlanned(tx: Tx, run: RunRow, { inputs, planHash, at }: Planned) {
  const { to } = transitionOf(run, 'plan finished');
  await sql`
    update run set state = ${to}::run_state, plan_hash = ${planHash}, inputs = ${JSON.stringify(inputs)}::jsonb,
      planned_at = ${at}, lines = sums.lines, skipped = sums.skipped, budget = sums.budget, pays = sums.pays,
      sets_aside = sums.sets_aside, keeps = sums.keeps, releases = sums.releases, returned = sums.returned, skips = (
        select coalesce(jsonb_object_agg(skip, lines), '{}')
        from (
          select skip, count(*) as lines from run_line as line
          where line.run_id = run.id and line.day = run.day and skip is not null group by skip
        ) as skipped
      )
    from (
      select coalesce(sum(lines), 0) as lines, coalesce(sum(skipped), 0) as skipped, coalesce(sum(budget), 0) as budget,
        coalesce(sum(base + bonus), 0) as pays, coalesce(sum(loyalty), 0) as sets_aside,
        coalesce(sum(unranked + withheld + unshared + rounded), 0) as keeps, coalesce(sum(closing), 0) as releases,
        coalesce(sum(returned), 0) as returned
      from run_chunk where run_id = ${run.id}::uuid
    ) as sums
    where run.id = ${run.id}::uuid`.execute(tx);
}

/** Creates the partitions of all months up to half a year ahead, as for the ledger. */
export async function prepareMonths(tx: Tx) {
  await sql`select prepare_months('run_line', (now() at time zone 'UTC' + interval '6 months')::date)`.execute(tx);
}

import type { Asset } from 'contract/core/money.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import type { Reversed, RunEvent, RunState, ShownState, StartEvent } from 'contract/run-states.ts';
import type { Reason } from 'contract/runs-reasons.ts';
import { sql } from 'kysely';
import { runQuery, type Db, lockFor, shareLockFor, type Tx } from '#server/core/db/db.ts';
import { type List, listPage } from '#server/core/db/list.ts';
import { hasActivePayment, netOf, postedLines, postedUnits, reversedOf } from './outcome-queries.ts';
import { liveStates, storedState, transitionOf } from './transitions.ts';

export type RunRow = {
  id: string;
  kind: RunKind;
  period: string;
  day: string;
  part: number;
  asset: Asset;
  settings: unknown;
  settingsVersion: number;
  /** The time whose rules and facts the run uses. */
  asOf: Date;
  inputs: unknown;
  state: RunState;
  reversed: Reversed;
  why: Reason | null;
  reverses: string | null;
  reason: string | null;
  /** The only user whom the run pays. */
  onlyUser: string | null;
  /** What it collects at most from a user who owes something. */
  collects: bigint;
  planHash: string | null;
  lines: bigint;
  skipped: bigint;
  budget: bigint;
  pays: bigint;
  setsAside: bigint;
  keeps: bigint;
  releases: bigint;
  returned: bigint;
  skips: unknown;
  plannedById: string | null;
  plannedBy: string | null;
  createdAt: Date;
  plannedAt: Date | null;
  startedById: string | null;
  startedBy: string | null;
  approvedBy: string | null;
  startedAt: Date | null;
  endedAt: Date | null;
};

/** The stored state, or 'waiting' for a planned run with an open approval request. */
export const stateOf = sql`
  case when item.state = 'planned' and exists (
    select from approval
    where kind = 'run' and subject_id = item.id and state = 'waiting' and expires_at > now()
  ) then 'waiting' else item.state::text end`;

const columns = sql`
  item.kind, item.period, item.day::text as day, item.part, item.asset, item.settings,
  item.settings_version as "settingsVersion", item.as_of as "asOf", item.inputs, ${stateOf} as state, ${reversedOf} as reversed,
  item.why, item.reverses, item.reason, item.only_user as "onlyUser", item.collects,
  item.plan_hash as "planHash", item.lines, item.skipped, item.budget, item.pays, item.sets_aside as "setsAside",
  item.keeps, item.releases, item.returned, item.skips, item.planned_by as "plannedById", planner.username as "plannedBy",
  item.created_at as "createdAt", item.planned_at as "plannedAt", item.started_by as "startedById",
  starter.username as "startedBy", approver.username as "approvedBy", item.started_at as "startedAt",
  item.ended_at as "endedAt"`;

const joins = sql`
  left join admin as planner on planner.id = item.planned_by
  left join admin as starter on starter.id = item.started_by
  left join admin as approver on approver.id = item.approved_by`;

const outcome = sql`${postedLines('item')} as "paidLines", ${postedUnits('item')} as paid, ${netOf} as net`;

/** The same as `shownState` in the contract. */
const shownStateOf = sql`
  case ${reversedOf} when 'fully' then 'reversed' when 'partly' then 'partly-reversed' else ${stateOf} end`;

type Params = {
  kind?: RunKind | undefined;
  state?: ShownState | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** Returns a page of runs. There are only a few a day, so the filter by state scans. */
export function selectPage(db: Db, { kind, state, cursor, limit }: Params) {
  const ofKind = kind ? [sql<boolean>`item.kind = ${sql.lit(kind)}`] : [];
  const list: List = {
    rows: sql`run`,
    columns: sql`${columns}, ${outcome}`,
    joins,
    order: { sort: '-createdAt', column: 'created_at', type: 'timestamptz', descending: true },
    where: ofKind,
    searchFilter: state && { scan: sql<boolean>`${shownStateOf} = ${sql.lit(state)}` },
    countAll: async () => {
      const [counted] = await runQuery<{ count: bigint }>(
        db,
        sql`select count(*) from run as item where ${sql.join([sql`true`, ...ofKind], sql` and `)}`,
      );
      return Number(counted?.count ?? 0n);
    },
    cursor,
    limit,
  };
  return listPage<RunRow & { paidLines: bigint; paid: bigint; net: bigint }>(db, list);
}

export async function selectRun(db: Db, id: string) {
  const [run] = await runQuery<RunRow>(
    db,
    sql`select item.id, ${columns} from run as item ${joins} where item.id = ${id}::uuid`,
  );
  return run;
}

export const selectRuns = (db: Db, ids: readonly string[]) =>
  runQuery<RunRow>(db, sql`select item.id, ${columns} from run as item ${joins} where item.id = any(${ids}::uuid[])`);

/**
 * Locks a run and returns it. Concurrent changes of a run wait here and then see the previous one. Workers that are
 * paying a chunk do not wait and are not waited for.
 */
export async function lockRun(tx: Tx, id: string) {
  const locked = await tx.selectFrom('run').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
  return locked && selectRun(tx, id);
}

/**
 * Makes the planner look up rows by key for the rest of the transaction. A chunk is so small compared with the tables
 * that its estimated size is often far off, and then a whole table is read for some thousand rows: the cost of a chunk
 * would grow with the number of users.
 */
export async function lookUpByKey(tx: Tx) {
  const settings = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];
  await sql`select ${sql.join(settings.map((setting) => sql`set_config(${setting}, 'off', true)`))}`.execute(tx);
}

/** Takes the shared lock that a worker holds while it plans or pays a chunk of the run. */
export const sharingRun = (tx: Tx, id: string) => shareLockFor(tx, `runs.${id}`);

/** Waits for the workers that are planning or paying a chunk of the run. */
export const waitForWorkers = (tx: Tx, id: string) => lockFor(tx, `runs.${id}`);

/** Longer than a chunk takes: each of its statements has a time limit. */
const longestChunk = sql`interval '1 hour'`;

/**
 * Waits for the chunks that are still being paid although their run has ended: it was canceled or refused, and the
 * workers read its state between chunks. A caller that relies on what ended runs have paid calls this first.
 */
export async function waitForEndedRuns(tx: Tx) {
  const ended = await runQuery<{ id: string }>(
    tx,
    sql`select id from run
      where state in ('cancelled', 'refused') and started_at is not null and ended_at > now() - ${longestChunk}
      order by id`,
  );
  for (const { id } of ended) await waitForWorkers(tx, id);
}

type NewRun = {
  kind: RunKind;
  period: string;
  day: string;
  part: number;
  asset: Asset;
  settings: unknown;
  settingsVersion: number;
  asOf: Date;
  plannedBy: string | null;
  reverses?: string;
  reason?: string;
  onlyUser?: string;
};

export async function insertRun(tx: Tx, { settings, day, ...run }: NewRun) {
  const { to: state } = transitionOf(null, 'create');
  const collects = run.reverses === undefined ? sql<bigint>`limit_of('collection', ${sql.lit(run.asset)})` : 0n;
  const row = { ...run, state, collects, day: sql<Date>`${day}::date`, settings: JSON.stringify(settings) };
  return (await tx.insertInto('run').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

type Change = { why?: Reason | null } & (
  | { event: StartEvent; startedBy: string | null; approvedBy: string | null }
  | { event: Exclude<RunEvent, StartEvent> }
);

/** Changes the state of a locked run and returns the new one. Throws if there is no such transition. */
export async function updateRun(tx: Tx, run: Pick<RunRow, 'id' | 'state' | 'planHash'>, { event, ...change }: Change) {
  const { to, starts, ends } = transitionOf(run, event);
  const { numUpdatedRows } = await tx
    .updateTable('run')
    .set({ ...change, state: to })
    .$if(ends, (update) => update.set({ endedAt: sql`clock_timestamp()` }))
    .$if(starts, (update) => update.set({ startedAt: sql`now()` }))
    .where('id', '=', run.id)
    .where('state', '=', storedState(run.state))
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Error(`The run ${run.id} is no longer ${run.state}.`);
  return to;
}

export async function selectLive(db: Db, kind: RunKind) {
  const [live] = await runQuery<{ id: string; state: RunState; period: string; plannedById: string | null }>(
    db,
    sql`select item.id, ${stateOf} as state, item.period, item.planned_by as "plannedById" from run as item
      where item.kind = ${sql.lit(kind)} and item.state in (${sql.join(liveStates.map((state) => sql.lit(state)))})`,
  );
  return live;
}

/** Returns the version that applies at a time. */
export async function selectSettings(db: Db, job: RunKind, at: Date) {
  const [saved] = await runQuery<{ settings: unknown; version: number }>(
    db,
    sql`select settings, version from settings_in_effect(${job}, ${at})`,
  );
  if (!saved) throw new Error(`The job ${job} has no settings.`);
  return saved;
}

/** Returns all versions, oldest first. */
export const selectVersions = (db: Db, job: RunKind) =>
  db
    .selectFrom('jobSettings')
    .select(['settings', 'version', 'savedAt', 'effectiveFrom'])
    .where('job', '=', job)
    .orderBy('version')
    .execute();

/** Returns the time whose rules and facts the first started run of a period used. */
export async function selectFirstAsOf(db: Db, { kind, period }: Period) {
  const [first] = await runQuery<{ asOf: Date | null }>(
    db,
    sql`select min(as_of) as "asOf" from run
      where kind = ${sql.lit(kind)} and period = ${period} and reverses is null and started_at is not null`,
  );
  return first?.asOf ?? undefined;
}

type Period = { kind: RunKind; period: string };

/**
 * Whether `back` is a reversal for all users that reversed something, even if it was stopped midway. The reversal of a
 * run that paid one user is for that user only.
 */
export const wasReversed = sql`
  back.reverses is not null and back.settings->>'person' is null
  and not exists (select from run as origin where origin.id = back.reverses and origin.only_user is not null)
  and exists (select from run_chunk where run_id = back.id and transfers > 0)`;

/** Whether the run `paid` was completed for all users, and no later reversal for all users reversed any of its period. */
export const fullyPaid = sql`
  paid.state = 'completed' and paid.reverses is null and paid.only_user is null and not exists (
    select from run as back
    where back.kind = paid.kind and back.period = paid.period and back.created_at > paid.created_at and ${wasReversed})`;

export async function isFullyPaid(db: Db, { kind, period }: Period) {
  const found = await runQuery(
    db,
    sql`select from run as paid where paid.kind = ${sql.lit(kind)} and paid.period = ${period} and ${fullyPaid}`,
  );
  return found.length > 0;
}

/** Counts the runs of a day that paid at least one chunk. */
export async function countAttempts(tx: Tx, { kind, day }: { kind: RunKind; day: string }) {
  const [counted] = await runQuery<{ attempts: number }>(
    tx,
    sql`select count(*)::int as attempts from run
      where kind = ${sql.lit(kind)} and day = ${day}::date and reverses is null
        and exists (select from run_chunk where run_id = run.id and paid_at is not null)`,
  );
  return counted?.attempts ?? 0;
}

/** Returns a part that no run of the period has. */
export async function selectFreePart(tx: Tx, { kind, period }: Period) {
  const [free] = await runQuery<{ part: number }>(
    tx,
    sql`select coalesce(max(part), 0) + 1 as part from run
      where kind = ${sql.lit(kind)} and period = ${period} and reverses is null`,
  );
  return free?.part ?? 1;
}

/** Returns the settings of the last run of a period with payments that were not reversed. */
export async function selectActivePayment(tx: Tx, { kind, period }: Period) {
  const [run] = await runQuery<{ id: string; settings: unknown; version: number }>(
    tx,
    sql`select item.id, item.settings, item.settings_version as version from run as item
      where item.kind = ${sql.lit(kind)} and item.period = ${period} and item.reverses is null
        and item.started_at is not null and ${hasActivePayment}
      order by item.created_at desc limit 1`,
  );
  return run;
}

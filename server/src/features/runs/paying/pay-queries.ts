import type { Asset } from 'contract/core/money.ts';
import type { ChunkFailure } from 'contract/runs-reasons.ts';
import { sql } from 'kysely';
import { runQuery, type Db, type Tx } from '#server/core/db/db.ts';
import type { RunRow } from '../store/run-queries.ts';
import { kinds } from '../kinds/kinds.ts';
import { digestOfLines } from '../store/chunk-queries.ts';
import type { Range } from '../store/ranges.ts';

export type ChunkRow = {
  no: number;
  after: string;
  to: string;
  lines: bigint;
  skipped: bigint;
  digest: string;
  base: bigint;
  bonus: bigint;
  loyalty: bigint;
  closing: bigint;
  completes: bigint;
  returned: bigint;
};

/** A chunk that failed this often is left to an administrator, who can retry it. */
const failuresAtMost = 3;

/** Two runs with more open chunks than this are both large. Counting all chunks for each payment would be slow. */
const countedChunks = 100;

/** Returns the running runs, the one with the least left to pay first. */
export const selectRunning = (db: Db) =>
  runQuery<{ id: string }>(
    db,
    sql`select id from run where state = 'running'
      order by (
        select count(*) from (
          select from run_chunk
          where run_id = run.id and paid_at is null and failures < ${failuresAtMost} limit ${countedChunks}
        ) as open
      ), started_at, id`,
  );

/**
 * Locks the next unpaid chunk that no other transaction has locked. Those that failed come last. The lock ends with the
 * transaction.
 */
export async function claimChunk(tx: Tx, runId: string) {
  const [chunk] = await runQuery<ChunkRow>(
    tx,
    sql`select no, after_user as after, to_user as to, lines, skipped, digest, base, bonus, loyalty, closing, completes, returned
      from run_chunk where run_id = ${runId}::uuid and paid_at is null and failures < ${failuresAtMost}
      order by failures, no limit 1 for update skip locked`,
  );
  return chunk;
}

type OpenChunks = { payable: number; failed: number; failure: ChunkFailure | null };

/** Counts the chunks that are still to be paid, and those that failed too often, with the failure of one of them. */
export async function countOpen(db: Db, runId: string): Promise<OpenChunks> {
  const [open] = await runQuery<OpenChunks>(
    db,
    sql`select (count(*) filter (where failures < ${failuresAtMost}))::int as payable,
        (count(*) filter (where failures >= ${failuresAtMost}))::int as failed,
        (array_agg(failure order by no) filter (where failures >= ${failuresAtMost}))[1] as failure
      from run_chunk where run_id = ${runId}::uuid and paid_at is null`,
  );
  return open ?? { payable: 0, failed: 0, failure: null };
}

/** Lets the failed chunks of a run be tried again. */
export async function forgetFailures(tx: Tx, runId: string) {
  await sql`update run_chunk set failures = 0
    where run_id = ${runId}::uuid and paid_at is null and failures > 0`.execute(tx);
}

/** Computes the digest of the stored lines. A chunk is paid only if it equals the digest of the plan. */
export async function readDigest(tx: Tx, { id, day }: RunRow, { after, to }: Range) {
  const [read] = await runQuery<{ digest: string }>(
    tx,
    sql`select ${digestOfLines} as digest from run_line
      where run_id = ${id}::uuid and day = ${day}::date and user_id > ${after}::uuid and user_id <= ${to}::uuid`,
  );
  return read?.digest;
}

/** The sums of the lines of a chunk that were dropped. */
export type Dropped = Pick<ChunkRow, 'base' | 'bonus' | 'loyalty' | 'closing' | 'completes' | 'returned'> & {
  lines: bigint;
};

export const nothingDropped: Dropped = {
  lines: 0n,
  base: 0n,
  bonus: 0n,
  loyalty: 0n,
  closing: 0n,
  completes: 0n,
  returned: 0n,
};

/**
 * Drops the lines of users who became ineligible since planning: blacklisted or deleted, or in a reversal, without the
 * returned stake that would be locked again. Also drops stakes that ended early. Everyone else is paid.
 */
export async function dropIneligible(tx: Tx, run: RunRow, range: Range): Promise<Dropped> {
  const [dropped] = await runQuery<Dropped>(
    tx,
    sql`
    with gone as (
      select distinct on (user_id, cause_id) * from (
        ${run.reverses === null ? ineligibleSince(run, range) : spentSince(run, range)}
        union all
        ${endedSince(run, range)}
      ) as since
      order by user_id, cause_id
    ),
    stored as (
      insert into run_line_dropped (run_id, user_id, cause_id, skip)
      select ${run.id}::uuid, user_id, cause_id, skip from gone
    )
    select count(*) as lines, coalesce(sum(base), 0)::bigint as base, coalesce(sum(bonus), 0)::bigint as bonus,
      coalesce(sum(loyalty), 0)::bigint as loyalty, coalesce(sum(closing), 0)::bigint as closing,
      count(*) filter (where completes) as completes,
      coalesce(sum(input) filter (where completes), 0)::bigint as returned
    from gone`,
  );
  return dropped ?? nothingDropped;
}

const planned = ({ id, day }: RunRow, { after, to }: Range) => sql`
  line.run_id = ${id}::uuid and line.day = ${day}::date and line.user_id > ${after}::uuid
  and line.user_id <= ${to}::uuid and line.skip is null`;

/**
 * The lines of users who were blacklisted or deleted since planning, or who are paid for such a user. The search starts
 * some minutes before the plan, because a transaction that started earlier may have committed later.
 */
function ineligibleSince(run: RunRow, range: Range) {
  const since = sql`${run.plannedAt}::timestamptz - interval '10 minutes'`;
  const { causeIsUser } = kinds[run.kind];
  const paid = causeIsUser ? sql`in (lately.id, lately.sponsor_id)` : sql`= lately.id`;
  const cause = causeIsUser ? sql`and lately.id in (line.user_id, line.cause_id)` : sql``;
  return sql`
    select line.user_id, line.cause_id, line.base, line.bonus, line.loyalty, line.closing, line.completes, line.input,
      (case when bool_or(lately.retired) then 'deleted' else 'blacklisted' end)::skip_reason as skip
    from (
      select id, sponsor_id, retired_at is not null as retired from platform_user
      where blacklisted_at > '-infinity' and blacklisted_at > ${since}
      union
      select id, sponsor_id, true from platform_user where retired_at > ${since}
    ) as lately
    join run_line as line on line.user_id ${paid} ${cause}
    where ${planned(run, range)}
    group by line.user_id, line.cause_id, line.base, line.bonus, line.loyalty, line.closing, line.completes, line.input`;
}

/**
 * The lines of stakes that ended early since planning. They are neither paid nor reversed: their amount was returned, and
 * their loyalty forfeited.
 */
function endedSince(run: RunRow, range: Range) {
  return sql`
    select line.user_id, line.cause_id, line.base, line.bonus, line.loyalty, line.closing, line.completes, line.input,
      'ended'::skip_reason as skip
    from stake
    join run_line as line on line.user_id = stake.user_id and line.cause_id = stake.id
    where stake.ended_early_at is not null and stake.completed_at > ${run.plannedAt}::timestamptz - interval '10 minutes'
      and ${planned(run, range)}`;
}

/**
 * The lines that would lock a stake again whose owner has spent it. Locks the balances, so that nobody spends meanwhile,
 * also those of whom other payments are taken (`bookReceivables`). The lines of each user are looked up by key, because
 * the planner may not hash or merge here (`lookUpByKey`).
 */
function spentSince(run: RunRow, range: Range) {
  const balance = run.asset === 'GMP' ? sql`available_gmp` : sql`available_usd`;
  const ofUser = sql`${planned(run, range)} and line.user_id = held.user_id and line.completes`;
  return sql`
    select line.user_id, line.cause_id, line.base, line.bonus, line.loyalty, line.closing, line.completes, line.input,
      'spent'::skip_reason as skip
    from lock_balances(${run.id}::uuid, ${run.day}::date, ${range.after}::uuid, ${range.to}::uuid) as held
    cross join lateral (
      select sum(line.input) as units from run_line as line where ${ofUser} offset 0
    ) as taken
    cross join lateral (select * from run_line as line where ${ofUser} offset 0) as line
    where taken.units > held.${balance}`;
}

/** Returns what the treasury still has to pay for the run `id` and for all runs that were started and not ended. */
export async function selectToFund(db: Db, { id = null, asset }: { id?: string | null; asset: Asset }) {
  const [open] = await runQuery<{ units: bigint }>(
    db,
    sql`select coalesce(sum(chunk.base + chunk.bonus + chunk.loyalty), 0)::bigint as units
      from run join run_chunk as chunk on chunk.run_id = run.id
      where chunk.paid_at is null and run.reverses is null and run.asset = ${asset}::asset
        and (run.id = ${id}::uuid or run.started_at is not null and run.ended_at is null)`,
  );
  return open?.units ?? 0n;
}

/** Returns what the treasury still has to pay for one run. */
export async function selectToFundOf(db: Db, runId: string) {
  const [open] = await runQuery<{ units: bigint }>(
    db,
    sql`select coalesce(sum(base + bonus + loyalty), 0)::bigint as units from run_chunk
      where run_id = ${runId}::uuid and paid_at is null`,
  );
  return open?.units ?? 0n;
}

type PaidChunk = { no: number; transfers: bigint; dropped: Dropped };

export async function updatePaid(tx: Tx, runId: string, { no, transfers, dropped }: PaidChunk) {
  await sql`
    update run_chunk set paid_at = clock_timestamp(), transfers = ${transfers}, dropped_lines = ${dropped.lines},
      dropped_base = ${dropped.base}, dropped_bonus = ${dropped.bonus}, dropped_loyalty = ${dropped.loyalty},
      dropped_closing = ${dropped.closing}, dropped_completes = ${dropped.completes},
      dropped_returned = ${dropped.returned}
    where run_id = ${runId}::uuid and no = ${no}`.execute(tx);
}

export async function updateFailed(tx: Tx, runId: string, { no, failure }: { no: number; failure: ChunkFailure }) {
  const [failed] = await runQuery<{ failures: number }>(
    tx,
    sql`update run_chunk set failures = failures + 1, failure = ${JSON.stringify(failure)}::jsonb
      where run_id = ${runId}::uuid and no = ${no} and paid_at is null returning failures`,
  );
  return failed?.failures ?? 0;
}

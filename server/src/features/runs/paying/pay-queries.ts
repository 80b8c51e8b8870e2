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
  digest: string;
  base: bigint;
  bonus: bigint;
  loyalty: bigint;
  closing: bigint;
  completes: bigint;
  returned: bigint;
};

/** Locks the next unpaid chunk that no other transaction has locked. The lock ends with the transaction. */
export async function claimChunk(tx: Tx, runId: string) {
  const [chunk] = await runQuery<ChunkRow>(
    tx,
    sql`select no, after_user as after, to_user as to, digest, base, bonus, loyalty, closing, completes, returned
      from run_chunk where run_id = ${runId}::uuid and paid_at is null
      order by no limit 1 for update skip locked`,
  );
  return chunk;
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

/**
 * Returns the users who were blacklisted or deleted since planning although the plan pays them or pays for them. The
 * search starts some minutes before the plan, because a transaction that started earlier may have committed later.
 */
export async function selectIneligible(db: Db, { id, day, plannedAt, kind }: RunRow, { after, to }: Range) {
  const since = sql`${plannedAt}::timestamptz - interval '10 minutes'`;
  const { causeIsUser } = kinds[kind];
  const paid = causeIsUser ? sql`in (lately.id, lately.sponsor_id)` : sql`= lately.id`;
  const cause = causeIsUser ? sql`and lately.id in (line.user_id, line.cause_id)` : sql``;
  return runQuery<{ username: string; blacklisted: boolean }>(
    db,
    sql`
    with lately as (
      select id, sponsor_id, username, blacklisted_at is not null as blacklisted from platform_user
      where blacklisted_at > '-infinity' and blacklisted_at > ${since}
      union
      select id, sponsor_id, username, blacklisted_at is not null from platform_user where retired_at > ${since}
    )
    select username, blacklisted from lately
    where exists (
      select from run_line as line
      where line.run_id = ${id}::uuid and line.day = ${day}::date and line.user_id ${paid} ${cause}
        and line.user_id > ${after}::uuid and line.user_id <= ${to}::uuid and line.skip is null)
    order by username limit 4`,
  );
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

export async function updatePaid(tx: Tx, runId: string, { no, transfers }: { no: number; transfers: bigint }) {
  await sql`update run_chunk set paid_at = clock_timestamp(), transfers = ${transfers}
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

import type { RunKind } from 'contract/run-kinds.ts';
import type { ChunkFailure } from 'contract/runs-reasons.ts';
import { sql } from 'kysely';
import { runQuery, type Db } from '#server/core/db/db.ts';
import { wasReversed } from '../store/run-queries.ts';

export type Sums = {
  chunks: number;
  paidChunks: number;
  paidLines: bigint;
  paid: bigint;
  droppedLines: bigint;
  dropped: bigint;
  openLines: bigint;
  open: bigint;
  transfers: bigint;
  lately: bigint;
  unranked: bigint;
  withheld: bigint;
  unshared: bigint;
  rounded: bigint;
};

export async function selectSums(db: Db, runId: string) {
  const [sums] = await runQuery<Sums>(
    db,
    sql`
    select count(*)::int as chunks, count(paid_at)::int as "paidChunks",
      coalesce(sum(lines - skipped - dropped_lines) filter (where paid_at is not null), 0)::bigint as "paidLines",
      coalesce(sum(base + bonus + closing - dropped_base - dropped_bonus - dropped_closing)
        filter (where paid_at is not null), 0)::bigint as paid,
      coalesce(sum(dropped_lines), 0)::bigint as "droppedLines",
      coalesce(sum(dropped_base + dropped_bonus + dropped_closing), 0)::bigint as dropped,
      coalesce(sum(lines - skipped) filter (where paid_at is null), 0)::bigint as "openLines",
      coalesce(sum(base + bonus + closing) filter (where paid_at is null), 0)::bigint as open,
      coalesce(sum(transfers), 0)::bigint as transfers,
      coalesce(sum(lines - skipped) filter (where paid_at > clock_timestamp() - interval '10 seconds'), 0)::bigint
        as lately,
      coalesce(sum(unranked), 0)::bigint as unranked, coalesce(sum(withheld), 0)::bigint as withheld,
      coalesce(sum(unshared), 0)::bigint as unshared, coalesce(sum(rounded), 0)::bigint as rounded
    from run_chunk where run_id = ${runId}::uuid`,
  );
  if (!sums) throw new Error('A sum of nothing is a row all the same.');
  return sums;
}

/** Returns the last run of the job before this one that was completed and not reversed for all users. */
export async function selectBefore(db: Db, { id, kind }: { id: string; kind: RunKind }) {
  const [before] = await runQuery<{
    id: string;
    period: string;
    lines: bigint;
    skipped: bigint;
    pays: bigint;
    releases: bigint;
  }>(
    db,
    sql`
    select it.id, it.period, it.lines, it.skipped, it.pays, it.releases
    from run as it join run as this on this.id = ${id}::uuid
    where it.kind = ${sql.lit(kind)} and it.state = 'completed' and it.reverses is null and it.only_user is null and not exists (
        select from run as back
        where back.reverses = it.id and ${wasReversed})
      and (it.created_at, it.id) < (this.created_at, this.id)
    order by it.created_at desc, it.id desc limit 1`,
  );
  return before;
}

/** Returns the newest run that reversed this run for all users. */
export async function selectReversal(db: Db, id: string) {
  const [reversal] = await runQuery<{ id: string }>(
    db,
    sql`select back.id from run as back where back.reverses = ${id}::uuid and ${wasReversed}
      order by back.created_at desc limit 1`,
  );
  return reversal?.id ?? null;
}

type Denial = { by: string; reason: string };
type Requested = { by: string; approvedBy: string | null };

/** Returns the newest approval request of a run, and its denial if it was denied. */
export async function selectRequest(db: Db, runId: string) {
  const [request] = await runQuery<{ approval: string; denial: Denial | null; request: Requested }>(
    db,
    sql`
    select approval.id as approval,
      case when approval.state = 'denied'
        then json_build_object('by', decider.username, 'reason', approval.reason) end as denial,
      json_build_object('by', requester.username,
        'approvedBy', case when approval.state = 'approved' then decider.username end) as request
    from approval join admin as requester on requester.id = approval.requested_by
    left join admin as decider on decider.id = approval.decided_by
    where approval.kind = 'run' and approval.subject_id = ${runId}::uuid
      and approval.rule is distinct from 'limit'
    order by approval.requested_at desc limit 1`,
  );
  return request ?? { approval: null, denial: null, request: null };
}

export function selectErrors(db: Db, runId: string) {
  return runQuery<{ chunk: number; failures: number; failure: ChunkFailure }>(
    db,
    sql`select no as chunk, failures, failure from run_chunk
      where run_id = ${runId}::uuid and failures > 0 order by no limit 20`,
  );
}

import type { TransferKind } from 'contract/ledger.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import type { SkipReason } from 'contract/runs.ts';
import { sql } from 'kysely';
import { ask, type Db } from '#server/db/db.ts';
import { listPage } from '#server/db/list.ts';
import { tookBack } from './queries.ts';

export type Sums = {
  chunks: number;
  paidChunks: number;
  paidLines: bigint;
  paid: bigint;
  transfers: bigint;
  lately: bigint;
  unranked: bigint;
  withheld: bigint;
  unshared: bigint;
  rounded: bigint;
};

export async function selectSums(db: Db, runId: string) {
  const [sums] = await ask<Sums>(
    db,
    sql`
    select count(*)::int as chunks, count(paid_at)::int as "paidChunks",
      coalesce(sum(lines - skipped) filter (where paid_at is not null), 0)::bigint as "paidLines",
      coalesce(sum(base + bonus + closing) filter (where paid_at is not null), 0)::bigint as paid,
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

export type LineRow = {
  personId: string;
  username: string;
  retired: boolean;
  cause: string;
  input: bigint;
  rate: number;
  ranked: boolean;
  base: bigint;
  bonus: bigint;
  loyalty: bigint;
  closing: bigint;
  completes: boolean;
  skip: SkipReason | null;
  paid: boolean;
};

const columns = sql`
  item.user_id as "personId", person.username, person.retired_at is not null as retired, item.cause_id as cause,
  item.input, item.rate_bp as rate, item.ranked, item.base, item.bonus, item.loyalty, item.closing, item.completes,
  item.skip, item.skip is null and (
    select chunk.paid_at is not null from run_chunk as chunk
    where chunk.run_id = item.run_id and chunk.to_user >= item.user_id order by chunk.to_user limit 1
  ) as paid`;

const joins = sql`join platform_user as person on person.id = item.user_id`;

const largestShown = 5;

/** The largest lines are in the chunks in which the largest of each are. */
export function selectLargest(db: Db, { id, day }: { id: string; day: string }) {
  return ask<LineRow>(
    db,
    sql`
    with chunk as (
      select after_user, to_user from run_chunk where run_id = ${id}::uuid
      order by largest desc, no limit ${largestShown}
    )
    select ${columns} from chunk
    join run_line as item on item.run_id = ${id}::uuid and item.day = ${day}::date
      and item.user_id > chunk.after_user and item.user_id <= chunk.to_user
    ${joins}
    where item.skip is null
    order by item.base + item.bonus + item.closing desc, item.user_id, item.cause_id limit ${largestShown}`,
  );
}

type Wish = {
  run: { id: string; day: string; lines: bigint };
  skip?: SkipReason | undefined;
  person?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** By user, and of a user by cause: the order of the plan's own key. */
export function selectLines(db: Db, { run, skip, person, cursor, limit }: Wish) {
  const narrowed = [
    ...(skip ? [sql<boolean>`item.skip = ${sql.lit(skip)}`] : []),
    ...(person === undefined ? [] : [sql<boolean>`item.user_id = ${person}::uuid`]),
  ];
  return listPage<LineRow>(db, {
    rows: sql`(
      select *, cause_id as id from run_line where run_id = ${run.id}::uuid and day = ${run.day}::date
    )`,
    columns,
    joins,
    order: { sort: 'user', column: 'user_id', type: 'uuid', descending: false },
    where: [],
    sought: narrowed.length > 0 ? { walk: sql<boolean>`${sql.join(narrowed, sql` and `)}` } : undefined,
    countAll: async () => Number(run.lines),
    cursor,
    limit,
  });
}

/** The last of its job that was paid to the end before. */
export async function selectBefore(db: Db, { id, kind }: { id: string; kind: RunKind }) {
  const [before] = await ask<{ id: string; period: string; lines: bigint; skipped: bigint; pays: bigint }>(
    db,
    sql`
    select it.id, it.period, it.lines, it.skipped, it.pays
    from run as it join run as this on this.id = ${id}::uuid
    where it.kind = ${sql.lit(kind)} and it.state = 'completed' and it.reverses is null and not exists (
        select from run as back
        where back.reverses = it.id and ${tookBack})
      and (it.created_at, it.id) < (this.created_at, this.id)
    order by it.created_at desc, it.id desc limit 1`,
  );
  return before;
}

/** The run that took it back; and the request that a second person decides. */
export async function selectAround(db: Db, id: string) {
  const [around] = await ask<{ reversedBy: string | null; approval: string | null }>(
    db,
    sql`
    select (
      select back.id from run as back
      where back.reverses = ${id}::uuid and ${tookBack}
      order by back.created_at desc limit 1
    ) as "reversedBy", (
      select approval.id from approval where approval.kind = 'run' and approval.subject_id = ${id}::uuid
      order by approval.asked_at desc limit 1
    ) as approval`,
  );
  return around ?? { reversedBy: null, approval: null };
}

export function selectErrors(db: Db, runId: string) {
  return ask<{ chunk: number; failures: number; failure: string }>(
    db,
    sql`select no as chunk, failures, failure from run_chunk
      where run_id = ${runId}::uuid and failures > 0 order by no limit 20`,
  );
}

type TransferKey = {
  day: string;
  kind: TransferKind;
  cause: string;
  part: number;
  userId: string | null;
  takesBack: boolean;
};

/** Of what the house set aside for a stake, the line is that of the stake's owner. */
export async function selectLineOf(db: Db, { day, kind, cause, part, userId, takesBack }: TransferKey) {
  const job = jobOf[kind];
  if (!job) return undefined;
  const byPart = kind === 'stake' ? sql`` : sql`and item.part = ${part}`;
  const owner = userId === null ? sql`(select user_id from stake where id = ${cause}::uuid)` : sql`${userId}::uuid`;
  const [line] = await ask<LineRow & { runId: string }>(
    db,
    sql`
    select item.run_id as "runId", ${columns}
    from run join run_line as item on item.run_id = run.id and item.day = run.day and item.user_id = ${owner}
      and item.cause_id = ${cause}::uuid ${byPart}
    ${joins}
    where run.kind = ${sql.lit(job)} and run.day = ${day}::date and (run.reverses is not null) = ${takesBack}
      and item.skip is null
      and run.begun_at is not null
    order by run.created_at desc limit 1`,
  );
  return line;
}

/** Which job posts transfers of a kind. */
const jobOf: Partial<Record<TransferKind, RunKind>> = {
  'stake-base': 'stake-payout',
  'stake-bonus': 'stake-payout',
  'stake-loyalty': 'stake-payout',
  loyalty: 'stake-payout',
  stake: 'stake-payout',
  gmp: 'gmp-distro',
  referral: 'referral-check',
  'rank-bonus': 'rank-bonus',
};

import type { TransferKind } from 'contract/ledger.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import type { SkipReason } from 'contract/runs-lines.ts';
import { sql } from 'kysely';
import { ask, type Db } from '#server/db/db.ts';
import { listPage } from '#server/db/list.ts';
import { linePaid, lineReversed } from './outcome-queries.ts';

export type LineRow = {
  personId: string;
  userNumber: string;
  username: string;
  retired: boolean;
  stakeId: string | null;
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
  reversed: boolean;
};

const columns = sql`
  item.user_id as "personId", person.user_id as "userNumber", person.username, person.retired_at is not null as retired,
  stake.stake_id as "stakeId", item.cause_id as cause, item.input, item.rate_bp as rate, item.ranked, item.base,
  item.bonus, item.loyalty, item.closing, item.completes, item.skip, ${linePaid} as paid, ${lineReversed} as reversed`;

/** A run that pays for no stake finds none: what it pays for is a user. */
const joins = sql`
  join platform_user as person on person.id = item.user_id
  left join stake on stake.id = item.cause_id`;

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

type LineQuery = {
  run: { id: string; day: string; lines: bigint };
  skip?: SkipReason | undefined;
  person?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** By user, and of a user by cause: the order of the plan's own key. */
export function selectLines(db: Db, { run, skip, person, cursor, limit }: LineQuery) {
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

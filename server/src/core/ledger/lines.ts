import type { Account, TransferKind } from 'contract/ledger.ts';
import type { Asset } from 'contract/core/money.ts';
import { type RawBuilder, sql } from 'kysely';
import { runQuery, brokenConstraint, type Db, lockFor, shareLockFor, type Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';

/** SQL for the amounts of a plan line, whose alias is `line`. A completed stake is returned to its user. */
const lineAmounts = {
  base: sql<bigint>`line.base`,
  bonus: sql<bigint>`line.bonus`,
  loyalty: sql<bigint>`line.loyalty`,
  closing: sql<bigint>`line.closing`,
  returned: sql<bigint>`case when line.completes then line.input else 0 end`,
};

export type LineAmount = keyof typeof lineAmounts;

export const unitsOfLine = (amount: LineAmount) => lineAmounts[amount];

/** A transfer that is posted for each line whose amount is not zero. */
export type Move = {
  kind: TransferKind;
  amount: LineAmount;
  debit: Account;
  credit: Account;
  /** The transfer is between platform accounts and has no user. */
  ofPlatform?: true;
  /** SQL for the part, if it differs from the line's part. */
  part?: RawBuilder<number>;
  /** Transfers of this kind are also posted outside of runs. */
  alsoByOthers?: true;
};

/** The lines of a chunk: those of the users after `after`, up to and including `to`. */
export type Lines = {
  runId: string;
  day: string;
  asset: Asset;
  after: string;
  to: string;
  /** Whether some of the lines were dropped. Most chunks have none, and then the statements do not look for them. */
  hasDropped: boolean;
};

/** SQL that is true for a planned payment that was not skipped when its chunk was paid. */
export const isKept = (line: 'line' | 'item' | 'taken') => sql<boolean>`not exists (
  select from run_line_dropped as dropped
  where dropped.run_id = ${sql.ref(`${line}.run_id`)} and dropped.user_id = ${sql.ref(`${line}.user_id`)}
    and dropped.cause_id = ${sql.ref(`${line}.cause_id`)})`;

export type Posted = { transfers: bigint; units: bigint };

/** SQL that selects the lines of a chunk, whose alias is `line`. */
export const inRange = ({ runId, day, after, to, hasDropped }: Lines) => sql`
  line.run_id = ${runId}::uuid and line.day = ${day}::date
  and line.user_id > ${after}::uuid and line.user_id <= ${to}::uuid and line.skip is null
  ${hasDropped ? sql`and ${isKept('line')}` : sql``}`;

/** Pays a chunk of a plan in one statement. The keys of the transfers prevent a second payment of a line. */
export async function postLines(tx: Tx, lines: Lines, moves: readonly Move[]): Promise<Posted> {
  const values = moves.map(
    ({ kind, amount, debit, credit, ofPlatform = false, part = sql`line.part` }) =>
      sql`(${sql.lit(kind)}::transfer_kind, ${part}, ${sql.lit(ofPlatform)}::boolean,
        ${sql.lit(debit)}::ledger_account, ${sql.lit(credit)}::ledger_account, ${unitsOfLine(amount)})`,
  );
  return insertPosted(
    tx,
    sql`
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select line.day, move.kind, line.cause_id, move.part,
      case when not move.of_platform then line.user_id end, ${sql.lit(lines.asset)}::asset, move.debit, move.credit,
      move.units
    from run_line as line
    cross join lateral (values ${sql.join(values)}) as move (kind, part, of_platform, debit, credit, units)
    where ${inRange(lines)} and move.units > 0
    order by line.user_id, line.cause_id, move.kind`,
  );
}

/**
 * SQL for the transfers of a cause on a day that are not reversed, found by an index lookup. The outer `offset 0` keeps
 * the day from becoming a constant: the planner has no statistics on a day that was just paid, expects hardly any
 * transfers, and would scan the whole day for each cause. The inner `offset 0` keeps the reversals from being joined:
 * the planner expects none and would look them up by the day alone.
 */
export const postedFor = (day: RawBuilder<unknown>, causeId: RawBuilder<unknown>) => sql`(
    select posted.* from transfer as posted
    where posted.day = ${day} and posted.cause_id = ${causeId} and posted.reverses is null
      and not exists (select from transfer as back where back.day = posted.day and back.reverses = posted.id offset 0)
    offset 0
  )`;

/** A payment that exists in several variants, such as a bonus for each rank, has the variant as last digit of its part. */
type Payment = { day: string; causeId: RawBuilder<unknown>; kinds: readonly TransferKind[]; variant?: number };

/**
 * SQL for the part of a payment: the number of its reversals. As long as a payment stands, a second one would have the
 * same key, so the database refuses it. The condition on `reverses_day` is that of the index by cause. The `offset 0`
 * keeps the kinds from that lookup: with old statistics, the planner would read all transfers of a kind and day instead.
 */
export function partOf({ day, causeId, kinds, variant }: Payment) {
  const [first, step] = variant === undefined ? [0, 1] : [variant, 10];
  const sameVariant = variant === undefined ? sql`` : sql`and back.part % 10 = ${sql.lit(variant)}`;
  return sql<number>`coalesce((
    select max(back.part) + ${sql.lit(step)} from (
      select kind, part from transfer
      where day = (select ${day}::date) and cause_id = ${causeId} and reverses_day is not null
      offset 0
    ) as back
    where back.kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))}) ${sameVariant}
  ), ${sql.lit(first)})::int`;
}

/**
 * SQL that joins the transfers that a run posted for a line, as `it`. The same cause can have other transfers, for
 * example for another rank. A transfer with its own part belongs to the run if it was posted while the run was paid. A
 * chunk can still be paid after the run has ended, because canceling does not wait for it.
 */
export const postedForLine = (moves: readonly Move[], runId: string) => sql`
  join run as paid_by on paid_by.id = ${runId}::uuid
  cross join lateral ${postedFor(sql`line.day`, sql`line.cause_id`)} as it
  join (values ${sql.join(
    moves.map(
      ({ kind, debit, part }) =>
        sql`(${sql.lit(kind)}::transfer_kind, ${sql.lit(debit)}::ledger_account, ${sql.lit(part === undefined)}::boolean)`,
    ),
  )}) as move (kind, debit, by_part)
    on move.kind = it.kind and move.debit = it.debit and case
      when move.by_part then it.part = line.part
      else line.completes and ${isPostedBy(runId)}
    end`;

/** SQL for whether `it` was posted while the run `paid_by` was paid. */
export const isPostedBy = (runId: string) => sql`
  it.at between paid_by.started_at and greatest(
    coalesce(paid_by.ended_at, 'infinity'), (select max(paid_at) from run_chunk where run_id = ${runId}::uuid)
  )`;

/** Reverses the transfers that the run `reverses` posted for the lines of a chunk. */
export async function reverseLines(
  tx: Tx,
  lines: Lines & { reverses: string },
  moves: readonly Move[],
): Promise<Posted> {
  return insertPosted(
    tx,
    sql`
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units, reverses, reverses_day)
    select it.day, it.kind, it.cause_id, it.part, it.user_id, it.asset, it.credit, it.debit, it.units, it.id, it.day
    from run_line as line ${postedForLine(moves, lines.reverses)}
    where ${inRange(lines)}
    order by line.user_id, line.cause_id, it.kind`,
  );
}

async function insertPosted(tx: Tx, insert: RawBuilder<unknown>): Promise<Posted> {
  const [posted] = await runQuery<Posted>(
    tx,
    sql<Posted>`
    with posted as (${insert} returning units)
    select count(*) as transfers, coalesce(sum(units), 0)::bigint as units from posted`,
  ).catch((error: unknown) => {
    throw brokenConstraint(error)?.startsWith('user_total_') ? new Refusal('BalanceTooLow') : error;
  });
  return posted ?? { transfers: 0n, units: 0n };
}

/** Locks the treasury for a check of its balance; otherwise two concurrent payments could each find enough. */
export const lockTreasury = (tx: Tx, asset: Asset) => lockFor(tx, `ledger.treasury ${asset}`);

/**
 * Returns what the treasury can pay: its balance without what users owe. A reversal returns the whole payment to the
 * treasury, also the part that the user has spent and that nobody has paid back yet.
 */
export async function treasuryOf(db: Db, asset: Asset) {
  const [held] = await runQuery<{ units: bigint }>(
    db,
    sql`select coalesce(sum(units), 0)::bigint as units from ledger_balance
      where account in ('treasury', 'receivable') and asset = ${asset}::asset`,
  );
  return held?.units ?? 0n;
}

/** A worker that pays a chunk holds this lock, so no stake ends early after the chunk has checked its stakes. */
export const holdEarlyEnds = (tx: Tx) => shareLockFor(tx, 'ledger.early ends');

/** Waits for the chunks that are being paid, and makes new ones wait until the transaction ends. */
export const waitForChunks = (tx: Tx) => lockFor(tx, 'ledger.early ends');

/** Returns what is still to be paid from the treasury. */
export type Owed = (tx: Tx, asset: Asset) => Promise<bigint>;

/**
 * Returns what the treasury can pay minus what it still has to pay. That is read first: a payment in between is then
 * subtracted twice rather than not at all.
 */
export async function spareInTreasury(tx: Tx, asset: Asset, owed: Owed) {
  await lockTreasury(tx, asset);
  const owes = await owed(tx, asset);
  return (await treasuryOf(tx, asset)) - owes;
}

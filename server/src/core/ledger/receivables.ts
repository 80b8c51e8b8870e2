import type { Asset } from 'contract/core/money.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { inRange, type Lines, type Move, unitsOfLine } from './lines.ts';

/** What a reversal takes from the user of a line. Loyalty is set aside on a platform account. */
const takenFromUser = sql`${unitsOfLine('base')} + ${unitsOfLine('bonus')} + ${unitsOfLine('closing')} + ${unitsOfLine('returned')}`;

/**
 * Books what the users of a chunk have spent of the payments that a reversal takes from them. Each user then has exactly
 * enough, so it comes before `reverseLines`. Assumes that their balances are locked (`lock_balances`).
 */
export async function bookReceivables(tx: Tx, lines: Lines) {
  const balance = lines.asset === 'GMP' ? sql`available_gmp` : sql`available_usd`;
  await sql`
    with missing as (
      select line.user_id, sum(${takenFromUser})::bigint - total.${balance} as units
      from run_line as line join user_total as total on total.user_id = line.user_id
      where ${inRange(lines)}
      group by line.user_id, total.${balance}
      having sum(${takenFromUser}) > total.${balance}
    ), owed as (
      insert into receivable (run_id, user_id, asset, units)
      select ${lines.runId}::uuid, user_id, ${sql.lit(lines.asset)}::asset, units from missing order by user_id
      returning id, user_id, asset, units
    )
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select ${lines.day}::date, 'receivable', id, 0, user_id, asset, 'receivable', 'available', units
    from owed order by user_id`.execute(tx);
}

/** What a user gets for a line as a payment. A returned stake was theirs before. */
const paidToUser = sql`${unitsOfLine('base')} + ${unitsOfLine('bonus')} + ${unitsOfLine('closing')}`;

type Settling = { moves: readonly Move[]; collects: bigint };

/**
 * Settles what users owe since a payment was reversed, from the same payment that a chunk makes again: otherwise they
 * would have what they spent twice. Payments for other days or causes settle at most what the run collects. It comes
 * after `postLines`, which locks the balances. Each `offset 0` keeps a lookup apart: without statistics on runs, the
 * planner would read all lines of earlier runs for each line before it looks for anything that the user owes.
 */
export async function settleReceivables(tx: Tx, lines: Lines, { moves, collects }: Settling) {
  const kind = sql.lit(moves.find(({ part }) => part === undefined)?.kind);
  const owes = lines.asset === 'GMP' ? sql`total.receivable_gmp` : sql`total.receivable_usd`;
  await sql`
    with again as (
      select line.user_id, line.cause_id, ${paidToUser} as paid from run_line as line
      where ${inRange(lines)} and reversals_of(${kind}, line.part) > 0
    ), booked as (
      select again.user_id, again.paid, receivable.units,
        row_number() over (partition by again.user_id, again.cause_id) as nth_of_line,
        row_number() over (partition by receivable.id) as nth_of_receivable
      from again
      cross join lateral (select * from receivable where user_id = again.user_id offset 0) as receivable
      join run on run.id = receivable.run_id
      join run as paying on paying.id = ${lines.runId}::uuid and paying.kind = run.kind
      where (run.period = paying.period or paid_once(${kind})) and exists (
        select from run_line as line
        where line.run_id = receivable.run_id and line.day = run.day and line.user_id = receivable.user_id
          and line.cause_id = again.cause_id and line.skip is null
        offset 0
      )
    ), again_due as (
      select booked.user_id, least(
          sum(paid) filter (where nth_of_line = 1), sum(units) filter (where nth_of_receivable = 1), ${owes}
        )::bigint as units
      from booked join user_total as total on total.user_id = booked.user_id
      group by booked.user_id, ${owes}
    ), due as (${collects > 0n ? collectedFrom(lines, { owes, collects }) : sql`table again_due`}), settled as (
      insert into receivable (run_id, user_id, asset, units)
      select ${lines.runId}::uuid, user_id, ${sql.lit(lines.asset)}::asset, -units from due where units > 0 order by user_id
      returning id, user_id, asset, -units as units
    )
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select ${lines.day}::date, 'receivable', id, 0, user_id, asset, 'available', 'receivable', units
    from settled order by user_id`.execute(tx);
}

/** Selects what a run takes from the payments of each user who owes something, whatever it pays them for. */
const collectedFrom = (lines: Lines, { owes, collects }: { owes: RawBuilder<unknown>; collects: bigint }) => sql`
  select paid.user_id, least(paid.units, ${owes}, greatest(coalesce(again_due.units, 0), ${collects}))::bigint as units
  from (
    select line.user_id, sum(${paidToUser}) as units from run_line as line where ${inRange(lines)} group by line.user_id
  ) as paid
  join user_total as total on total.user_id = paid.user_id and ${owes} > 0
  left join again_due on again_due.user_id = paid.user_id`;

type Booked = { users: bigint; units: bigint };

/** Returns what the users of a reversal owe since it was paid, or what a run settled of it when it paid them again. */
export async function selectBooked(db: Db, runId: string): Promise<Booked> {
  const [booked] = await runQuery<Booked>(
    db,
    sql`select count(*) as users, coalesce(abs(sum(units)), 0)::bigint as units from receivable
      where run_id = ${runId}::uuid`,
  );
  return booked ?? { users: 0n, units: 0n };
}

/** Returns what a user owes in an asset. */
export async function selectOwed(db: Db, userId: string, asset: Asset) {
  const column = asset === 'GMP' ? 'receivableGmp' : 'receivableUsd';
  const total = db.selectFrom('userTotal').select(column).where('userId', '=', userId);
  return (await total.executeTakeFirstOrThrow())[column];
}

/** Returns what a reversal booked for a user, or what a run settled of it. Null if nothing. */
export async function selectBookedFor(db: Db, { runId, userId }: { runId: string; userId: string }) {
  const one = db.selectFrom('receivable').select('units').where('runId', '=', runId).where('userId', '=', userId);
  const units = (await one.executeTakeFirst())?.units;
  if (units === undefined) return null;
  return units < 0n ? -units : units;
}

/** Returns the run that booked or settled a receivable. */
export async function selectBookedBy(db: Db, id: string) {
  const one = db.selectFrom('receivable').select('runId').where('id', '=', id);
  return (await one.executeTakeFirst())?.runId ?? null;
}

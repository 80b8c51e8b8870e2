import type { Reversed, RunState } from 'contract/run-states.ts';
import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Db } from '#server/core/db/db.ts';
import { isKept } from '#server/core/ledger/lines.ts';

/** The aliases of the table `run` in a statement. */
type Name = 'item' | 'back' | 'peer';

type Sums = { planned: RawBuilder<unknown>; chunk: RawBuilder<unknown>; dropped: RawBuilder<unknown> };

/**
 * A completed run posted its plan without the dropped lines, which an index finds, and one that was not started posted
 * nothing, so most need no read of all chunks.
 */
const posted = (name: Name, { planned, chunk, dropped }: Sums) => {
  const run = sql.ref(name);
  return sql`
  case when ${run}.state = 'completed' then ${planned} - (
    select coalesce(sum(${dropped}), 0)::bigint from run_chunk
    where run_chunk.run_id = ${run}.id and run_chunk.dropped_lines > 0
  ) when ${run}.started_at is null then 0 else (
    select coalesce(sum(${chunk} - (${dropped})), 0)::bigint from run_chunk
    where run_chunk.run_id = ${run}.id and run_chunk.paid_at is not null
  ) end`;
};

/** The number of payments that a run posted or, for a reversal, reversed. */
export const postedLines = (name: Name) =>
  posted(name, {
    planned: sql`${sql.ref(`${name}.lines`)} - ${sql.ref(`${name}.skipped`)}`,
    chunk: sql`run_chunk.lines - run_chunk.skipped`,
    dropped: sql`run_chunk.dropped_lines`,
  });

/** The units that users received or, for a reversal, that were reversed. */
export const postedUnits = (name: Name) =>
  posted(name, {
    planned: sql`${sql.ref(`${name}.pays`)} + ${sql.ref(`${name}.releases`)}`,
    chunk: sql`run_chunk.base + run_chunk.bonus + run_chunk.closing`,
    dropped: sql`run_chunk.dropped_base + run_chunk.dropped_bonus + run_chunk.dropped_closing`,
  });

/**
 * How much of the run `item` was reversed. Every payment is reversed at most once, so the payments of its reversals add
 * up. A run without reversals costs one index lookup.
 */
export const reversedOf = sql`
  case when item.reverses is not null or item.started_at is null then 'none' else (
    select case when back.lines = 0 then 'none' when back.lines < ${postedLines('item')} then 'partly' else 'fully' end
    from (
      select coalesce(sum(${postedLines('back')}), 0) as lines from run as back where back.reverses = item.id
    ) as back
  ) end`;

/** The net amount of the period of the run `item`. A reversal has the day of its run, so an index finds all runs. */
export const netOf = sql`(
  select coalesce(sum(case when peer.reverses is null then 1 else -1 end * ${postedUnits('peer')}), 0)::bigint
  from run as peer where peer.kind = item.kind and peer.day = item.day and peer.period = item.period
)`;

/** Whether the run `item` paid something that was not reversed. */
export const hasActivePayment = sql<boolean>`${postedLines('item')} > 0 and ${reversedOf} <> 'fully'`;

/** Whether the payment `item` was reversed, alone or with the whole run. */
export const lineReversed = sql`exists (
  select from run as back
  join run_line as taken on taken.run_id = back.id and taken.day = item.day and taken.user_id = item.user_id
    and taken.cause_id = item.cause_id and taken.skip is null and ${isKept('taken')}
  where back.reverses = item.run_id and back.started_at is not null
    and coalesce(back.settings->>'person' = item.user_id::text, true) and (
      select chunk.paid_at is not null from run_chunk as chunk
      where chunk.run_id = back.id and chunk.to_user >= item.user_id order by chunk.to_user limit 1))`;

/** Whether the payment `item` was posted. */
export const linePaid = sql`item.skip is null and ${isKept('item')} and (
  select chunk.paid_at is not null from run_chunk as chunk
  where chunk.run_id = item.run_id and chunk.to_user >= item.user_id order by chunk.to_user limit 1)`;

type Payments = { paid: boolean; reversed: Reversed };

/** Returns whether a run paid anything, to all users or to one, and how much of it was reversed. */
export async function selectPayments(db: Db, { id, user }: { id: string; user?: string | undefined }) {
  const [payments] = await runQuery<Payments>(
    db,
    user === undefined
      ? sql`select ${postedLines('item')} > 0 as paid, ${reversedOf} as reversed from run as item
          where item.id = ${id}::uuid`
      : sql`
        select count(*) > 0 as paid, case
          when count(*) filter (where reversed) = 0 then 'none' when bool_and(reversed) then 'fully' else 'partly'
        end as reversed
        from (
          select ${lineReversed} as reversed
          from run join run_line as item on item.run_id = run.id and item.day = run.day
          where run.id = ${id}::uuid and item.user_id = ${user}::uuid and ${linePaid}
        ) as payment`,
  );
  return payments ?? { paid: false, reversed: 'none' };
}

type PeriodRow = {
  id: string;
  state: RunState;
  reversed: Reversed;
  reverses: string | null;
  paidLines: bigint;
  paid: bigint;
};

/** More runs than a period has in practice. The net includes all of them. */
const shownAtMost = 50;

/** Returns the runs that moved money for the period of a run, oldest first, and the net of the period. */
export async function selectPeriod(db: Db, id: string) {
  const runs = await runQuery<PeriodRow>(
    db,
    sql`
    select id, state, reversed, reverses, "paidLines", paid from (
      select item.id, item.state, ${reversedOf} as reversed, item.reverses, ${postedLines('item')} as "paidLines",
        ${postedUnits('item')} as paid, item.created_at
      from run as item join run as this on this.id = ${id}::uuid
      where item.kind = this.kind and item.day = this.day and item.period = this.period and item.started_at is not null
    ) as item
    where "paidLines" > 0 order by created_at desc limit ${shownAtMost}`,
  );
  const [period] = await runQuery<{ net: bigint }>(
    db,
    sql`select ${netOf} as net from run as item where item.id = ${id}::uuid`,
  );
  return { runs: runs.toReversed(), net: period?.net ?? 0n };
}

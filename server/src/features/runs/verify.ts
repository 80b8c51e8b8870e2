import type { VerificationForm } from 'contract/ledger-verification.ts';
import { RunKind } from 'contract/run-kinds.ts';
import { sql } from 'kysely';
import { isKept, unitsOfLine } from '#server/core/ledger/lines.ts';
import { isVerifiedCause, type Questions, verifiedTransfers } from '#server/core/ledger/verify-scope.ts';
import { kinds } from './kinds/kinds.ts';
import { firstKeptDay } from './store/archived.ts';

const kindsAndMoves = RunKind.options.flatMap((run) => kinds[run].moves.map((move) => ({ run, move })));

/** Kinds of transfer that compute their own part are compared without it. */
const countedKinds = kindsAndMoves.flatMap(({ move: { kind, part } }) => (part === undefined ? [] : [sql.lit(kind)]));
const partOf = (transfer: string, part: string) =>
  sql`case when ${sql.ref(transfer)} in (${sql.join(countedKinds)}) then 0 else ${sql.ref(part)} end`;

/** SQL for the paid chunks that are verified. A chunk and its transfers are one transaction, so both are new or neither. */
const paidChunks = (form: VerificationForm) =>
  form === 'full'
    ? sql`(select * from run_chunk where paid_at is not null)`
    : sql`(
        select chunk.* from changed_cause as changed
        join run_chunk as chunk on chunk.run_id = changed.cause_id and chunk.no = changed.part
        where changed.kind = 'run-chunk' and chunk.paid_at is not null
      )`;

/** The expected transfers of all paid chunks: the funding of each chunk, and the transfers of its lines. */
const paid = (form: VerificationForm) => sql`
  select run.day, run.id as cause_id, null::uuid as user_id, 'funding'::transfer_kind as kind, chunk.no as part,
    run.reverses is not null as is_reversal,
    chunk.base + chunk.bonus - chunk.dropped_base - chunk.dropped_bonus as units
  from run join ${paidChunks(form)} as chunk on chunk.run_id = run.id
  where chunk.base + chunk.bonus > chunk.dropped_base + chunk.dropped_bonus
  union all
  select run.day, line.cause_id, case when not move.of_platform then line.user_id end, move.kind,
    ${partOf('move.kind', 'line.part')}, run.reverses is not null, move.units
  from run join ${paidChunks(form)} as chunk on chunk.run_id = run.id
  cross join lateral (
    select * from run_line as line
    where run_id = run.id and day = run.day and user_id > chunk.after_user and user_id <= chunk.to_user and skip is null
      and (chunk.dropped_lines = 0 or ${isKept('line')})
    offset 0
  ) as line
  join lateral (values ${sql.join(
    kindsAndMoves.map(
      ({ run, move: { kind, amount, ofPlatform = false } }) =>
        sql`(${sql.lit(run)}, ${sql.lit(kind)}::transfer_kind, ${sql.lit(ofPlatform)}::boolean, ${unitsOfLine(amount)})`,
    ),
  )}) as move (job, kind, of_platform, units) on move.job = run.kind::text and move.units > 0`;

/** A transfer of a kind that is also posted elsewhere belongs to a run if it debits the account that runs pay from. */
const isByRun = sql.join(
  kindsAndMoves.map(({ move: { kind, debit, alsoByOthers } }) =>
    alsoByOthers
      ? sql`kind = ${sql.lit(kind)} and (debit = ${sql.lit(debit)}) = (reverses is null)`
      : sql`kind = ${sql.lit(kind)}`,
  ),
  sql` or `,
);

/** Kinds of transfers that only runs post, and no import either. */
const kindsOfRuns = kindsAndMoves.flatMap(({ move: { kind, alsoByOthers } }) => (alsoByOthers ? [] : [sql.lit(kind)]));

/**
 * True since the first run started, and for the kinds of runs since records are sealed. What was loaded from before is
 * dated earlier, and a process cannot choose the time of a transfer.
 */
const isSinceRuns = sql`(
  at >= (select min(started_at) from run)
  or at >= (select min(sealed_at) from record_sealing) and kind in (${sql.join(kindsOfRuns)}))`;

/** The actual transfers of the kinds that runs post, since only they do, if their lines are not archived. */
const posted = (form: VerificationForm) => sql`
  select day, cause_id, user_id, kind, ${partOf('kind', 'part')},
    case kind when 'funding' then debit <> 'treasury' else reverses is not null end, units
  from ${verifiedTransfers(form)}
  where ${isSinceRuns}
    and (day >= ${firstKeptDay} and (${isByRun}) or kind = 'funding' and cause_id in (select id from run))`;

/** What the chunks of archived days have paid, by day and kind, and what was posted for them. */
const archived = sql`
  select run.day, move.kind, run.reverses is not null as is_reversal, move.units
  from run join run_chunk as chunk on chunk.run_id = run.id and chunk.paid_at is not null
  join lateral (values ${sql.join(
    kindsAndMoves.map(
      ({ run, move: { kind, amount } }) =>
        sql`(${sql.lit(run)}, ${sql.lit(kind)}::transfer_kind,
          ${sql.ref(`chunk.${amount}`)} - ${sql.ref(`chunk.dropped_${amount}`)})`,
    ),
  )}) as move (job, kind, units) on move.job = run.kind::text
  where run.day < ${firstKeptDay}
  union all
  select day, kind, reverses is not null, -units from transfer
  where day < ${firstKeptDay} and at >= (select min(started_at) from run) and (${isByRun})`;

/** Nothing is paid for archived days any more, so every new transfer of theirs is wrong. */
const archivedDifferences = (form: VerificationForm) =>
  form === 'full'
    ? sql`
      union all
      select concat_ws(' ', day, kind) from (${archived}) as both_ways group by day, kind, is_reversal having sum(units) <> 0`
    : sql`
      union all
      select concat_ws(' ', day, kind, cause_id) from ${verifiedTransfers(form)} as it
      where day < ${firstKeptDay} and (${isByRun})`;

/** SQL for the loyalty transfers of all stakes, or of those that were paid loyalty since the last verification. */
const loyaltyTransfers = (form: VerificationForm) =>
  form === 'full'
    ? sql`(select * from transfer where kind in ('stake-loyalty', 'loyalty', 'stake-end') and 'loyalty' in (debit, credit))`
    : sql`(
        select it.* from (
          select distinct cause_id from new_transfer
          where debit = 'loyalty'
        ) as paid
        join stake on stake.id = paid.cause_id
        -- A stake has few days, and each is two index lookups.
        cross join lateral generate_series(
          -- The loyalty of a stake that ended early was forfeited on the day of its completion.
          stake.created_at::date, greatest(
            (select max(day) from new_transfer), case when stake.ended_early_at is not null then stake.completed_at::date end
          ), interval '1 day'
        ) as past (day)
        cross join lateral (
          select * from transfer where day = past.day::date and cause_id = stake.id and reverses is null
          union all
          select * from transfer where day = past.day::date and cause_id = stake.id and reverses_day is not null
        ) as it
        where 'loyalty' in (it.debit, it.credit)
      )`;

/** The invariants between the runs and the ledger. Each query returns the violations. */
export const runQuestions: Questions<
  'run-payments' | 'funding-unexplained' | 'receivable-unexplained' | 'loyalty-overpaid' | 'run-sums'
> = {
  'run-payments': (form) => sql`
    select concat_ws(' ', day, kind, cause_id) as where
    from (
      select *, 1 as one from (${paid(form)}) as paid
      union all
      select *, -1 from (${posted(form)}) as posted
    ) as both_ways
    group by day, cause_id, user_id, kind, part, is_reversal, units having sum(one) <> 0
    ${archivedDifferences(form)}`,
  'funding-unexplained': (form) => sql`
    select concat(it.day, ' ', it.id) as where from ${verifiedTransfers(form)} as it
    where it.kind = 'funding' and it.at >= (select min(started_at) from run)
      and case when it.reverses is null then it.credit else it.debit end <> 'task_rewards' and not exists (select from run where run.id = it.cause_id)`,
  // A reversal books at most what it takes from the user, and a payment settles at most what it pays them.
  'receivable-unexplained': (form) => sql`
    select concat_ws(' ', receivable.run_id, receivable.user_id) as where
    from receivable join run on run.id = receivable.run_id
    cross join lateral (
      select coalesce(sum(${unitsOfLine('base')} + ${unitsOfLine('bonus')} + ${unitsOfLine('closing')}
          + case when run.reverses is null then 0 else ${unitsOfLine('returned')} end), 0) as units
      from run_line as line
      join run_chunk as chunk on chunk.run_id = line.run_id and chunk.no = line.chunk and chunk.paid_at is not null
      where line.run_id = run.id and line.day = run.day and line.user_id = receivable.user_id and line.skip is null
        and ${isKept('line')}
    ) as moved
    where ${isVerifiedCause(form, ['receivable'], sql`receivable.id`)} and run.day >= ${firstKeptDay} and (
      receivable.asset <> run.asset or abs(receivable.units) > moved.units
      or (receivable.units > 0) <> (run.reverses is not null)
    )`,
  'loyalty-overpaid': (form) => sql`
    select cause_id::text as where from ${loyaltyTransfers(form)} as it
    group by cause_id
    having sum(case when credit = 'loyalty' then units else -units end) < 0`,
  'run-sums': (form) => sql`
    select concat_ws(' ', run.kind, run.period) as where
    from run
    cross join lateral (
      select coalesce(sum(base + bonus), 0) as pays, coalesce(sum(loyalty), 0) as sets_aside,
        coalesce(sum(closing), 0) as releases, count(*) as lines, count(skip) as skipped
      from run_line as line where line.run_id = run.id and line.day = run.day
    ) as sums
    -- The lines of a plan that was canceled before it was started are deleted.
    where run.plan_hash is not null and run.day >= ${firstKeptDay} and not (run.state = 'cancelled' and run.started_at is null)
      and ${isVerifiedCause(form, ['run'], sql`run.id`)}
      and (
        row(run.pays, run.sets_aside, run.releases, run.lines, run.skipped)
          is distinct from row(sums.pays, sums.sets_aside, sums.releases, sums.lines, sums.skipped)
        -- A completed run has paid all its chunks.
        or run.state = 'completed' and exists (select from run_chunk where run_id = run.id and paid_at is null)
      )`,
};

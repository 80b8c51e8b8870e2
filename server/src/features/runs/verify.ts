import { RunKind } from 'contract/run-kinds.ts';
import { sql } from 'kysely';
import { isKept, unitsOfLine } from '#server/core/ledger/lines.ts';
import type { Questions } from '#server/core/ledger/verify.ts';
import { kinds } from './kinds/kinds.ts';

const kindsAndMoves = RunKind.options.flatMap((run) => kinds[run].moves.map((move) => ({ run, move })));

/** Kinds of transfer that compute their own part are compared without it. */
const countedKinds = kindsAndMoves.flatMap(({ move: { kind, part } }) => (part === undefined ? [] : [sql.lit(kind)]));
const partOf = (transfer: string, part: string) =>
  sql`case when ${sql.ref(transfer)} in (${sql.join(countedKinds)}) then 0 else ${sql.ref(part)} end`;

/** The expected transfers of all paid chunks: the funding of each chunk, and the transfers of its lines. */
const paid = sql`
  select run.day, run.id as cause_id, 'funding'::transfer_kind as kind, chunk.no as part,
    run.reverses is not null as taken_back,
    chunk.base + chunk.bonus - chunk.dropped_base - chunk.dropped_bonus as units
  from run join run_chunk as chunk on chunk.run_id = run.id and chunk.paid_at is not null
  where chunk.base + chunk.bonus > chunk.dropped_base + chunk.dropped_bonus
  union all
  select run.day, line.cause_id, move.kind, ${partOf('move.kind', 'line.part')}, run.reverses is not null, move.units
  from run join run_chunk as chunk on chunk.run_id = run.id and chunk.paid_at is not null
  cross join lateral (
    select * from run_line as line
    where run_id = run.id and day = run.day and user_id > chunk.after_user and user_id <= chunk.to_user and skip is null
      and (chunk.dropped_lines = 0 or ${isKept('line')})
    offset 0
  ) as line
  join lateral (values ${sql.join(
    kindsAndMoves.map(
      ({ run, move }) => sql`(${sql.lit(run)}, ${sql.lit(move.kind)}::transfer_kind, ${unitsOfLine(move.amount)})`,
    ),
  )}) as move (job, kind, units) on move.job = run.kind::text and move.units > 0`;

/** A transfer of a kind that is also posted elsewhere belongs to a run if it debits the account that runs pay from. */
const isByRun = sql.join(
  kindsAndMoves.map(({ move: { kind, debit, alsoByOthers } }) =>
    alsoByOthers
      ? sql`kind = ${sql.lit(kind)} and (debit = ${sql.lit(debit)}) = (reverses is null)`
      : sql`kind = ${sql.lit(kind)}`,
  ),
  sql` or `,
);

/** The actual transfers of the kinds that runs post, since the first run started. */
const posted = sql`
  select day, cause_id, kind, ${partOf('kind', 'part')},
    case kind when 'funding' then debit <> 'treasury' else reverses is not null end, units
  from transfer
  where at >= (select min(started_at) from run)
    and (${isByRun} or kind = 'funding' and cause_id in (select id from run))`;

/** The invariants between the runs and the ledger. Each query returns the violations. */
export const runQuestions: Questions = {
  'what was posted differs from what was planned': sql`
    select concat_ws(' ', day, kind, cause_id) as where
    from (
      select *, 1 as one from (${paid}) as paid
      union all
      select *, -1 from (${posted}) as posted
    ) as both_ways
    group by day, cause_id, kind, part, taken_back, units having sum(one) <> 0`,
  'nothing explains a funding': sql`
    select concat(it.day, ' ', it.id) as where from transfer as it
    where it.kind = 'funding' and it.at >= (select min(started_at) from run)
      and 'task_rewards' not in (it.debit, it.credit) and not exists (select from run where run.id = it.cause_id)`,
  'more loyalty was paid for a stake than was set aside for it': sql`
    select cause_id::text as where from transfer where kind in ('stake-loyalty', 'loyalty')
    group by cause_id
    having sum(case when credit = 'loyalty' then units else -units end) < 0`,
  'a run’s sums are not those of its lines': sql`
    select concat_ws(' ', run.kind, run.period) as where
    from run
    cross join lateral (
      select coalesce(sum(base + bonus), 0) as pays, coalesce(sum(loyalty), 0) as sets_aside,
        coalesce(sum(closing), 0) as releases, count(*) as lines, count(skip) as skipped
      from run_line as line where line.run_id = run.id and line.day = run.day
    ) as sums
    where run.plan_hash is not null and row(run.pays, run.sets_aside, run.releases, run.lines, run.skipped)
      is distinct from row(sums.pays, sums.sets_aside, sums.releases, sums.lines, sums.skipped)`,
};

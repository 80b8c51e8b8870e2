import { sql } from 'kysely';

/** Every line of a chunk that was paid, and what it comes to, transfer by transfer; and what the chunk took for it. */
const paid = sql`
  select run.day, run.id as cause_id, 'funding'::transfer_kind as kind, chunk.no as part,
    run.reverses is not null as taken_back, chunk.base + chunk.bonus as units
  from run join run_chunk as chunk on chunk.run_id = run.id and chunk.paid_at is not null
  where chunk.base + chunk.bonus > 0
  union all
  select run.day, line.cause_id, move.kind, case move.kind when 'stake' then 0 else line.part end,
    run.reverses is not null, move.units
  from run join run_chunk as chunk on chunk.run_id = run.id and chunk.paid_at is not null
  cross join lateral (
    select * from run_line
    where run_id = run.id and day = run.day and user_id > chunk.after_user and user_id <= chunk.to_user and skip is null
    offset 0
  ) as line
  join lateral (values
    ('stake-payout', 'stake-base'::transfer_kind, line.base), ('stake-payout', 'stake-bonus', line.bonus),
    ('stake-payout', 'stake-loyalty', line.loyalty), ('stake-payout', 'loyalty', line.closing),
    ('stake-payout', 'stake', case when line.completes then line.input else 0 end), ('gmp-distro', 'gmp', line.base),
    ('referral-check', 'referral', line.base), ('rank-bonus', 'rank-bonus', line.base)
  ) as move (job, kind, units) on move.job = run.kind::text and move.units > 0`;

/** What was posted since the first run began, of the kinds that runs post. */
const posted = sql`
  select day, cause_id, kind, case kind when 'stake' then 0 else part end,
    case kind when 'funding' then debit <> 'treasury' else reverses is not null end, units
  from transfer
  where at >= (select min(begun_at) from run)
    and (kind in ('stake-base', 'stake-bonus', 'stake-loyalty', 'loyalty', 'gmp', 'referral', 'rank-bonus')
      or kind = 'stake' and (debit = 'staked') = (reverses is null)
      or kind = 'funding' and cause_id in (select id from run))`;

/** Each question answers with what is wrong, and with nothing where all is right. */
export const questionsOfRuns = {
  'what was posted differs from what was planned': sql`
    select concat_ws(' ', day, kind, cause_id) as where
    from (
      select *, 1 as one from (${paid}) as paid
      union all
      select *, -1 from (${posted}) as posted
    ) as both_ways
    group by day, cause_id, kind, part, taken_back, units having sum(one) <> 0`,
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

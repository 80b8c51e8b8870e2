import { sql } from 'kysely';
import { z } from 'zod';
import { runKinds } from 'contract/run-kinds.ts';
import { isKept, type LineAmount, type Move, postedForLine } from '#server/core/ledger/lines.ts';
import type { Plan, Planning } from './kind.ts';

/** One user, or the whole run if null. Hashes of stored plans cover this key, so it keeps its original name. */
const Chosen = z.object({ person: z.uuid().nullable() });

const chosen = ({ reverses, day, settings }: Planning) => {
  const { person: user } = Chosen.parse(settings);
  const whose = user === null ? sql`` : sql`and line.user_id = ${user}::uuid`;
  return sql`line.run_id = ${reverses}::uuid and line.day = ${day}::date and line.skip is null and ${isKept('line')} ${whose} and (
    select chunk.paid_at is not null from run_chunk as chunk
    where chunk.run_id = line.run_id and chunk.to_user >= line.user_id order by chunk.to_user limit 1)`;
};

/** Whether the transfer `it` was posted for this amount of a line. */
function isFor(moves: readonly Move[], amount: LineAmount) {
  const kinds = moves.filter((move) => move.amount === amount).map(({ kind }) => sql.lit(kind));
  return kinds.length === 0 ? sql`false` : sql`it.kind in (${sql.join(kinds)})`;
}

/**
 * Reverses the payments that were not reversed yet. What a user has spent is booked as a receivable when the reversal is
 * paid. A returned stake is the user's own money: it is locked again only if they still have it.
 */
export function reversalPlan(moves: readonly Move[]): Plan {
  const sumOf = (amount: LineAmount) => sql`coalesce(sum(it.units) filter (where ${isFor(moves, amount)}), 0)::bigint`;
  return {
    inputsOf: async () => ({}),

    users: (run, after) => sql`
    select line.user_id as "userId" from run_line as line
    where ${chosen(run)} and line.user_id > ${after}::uuid order by line.user_id`,

    lines: (run, { after, to }) => sql`
    select user_id, cause_id, part, input, rate_ppm, ranked,
      case when skip is null then base else 0 end as base, case when skip is null then bonus else 0 end as bonus,
      case when skip is null then loyalty else 0 end as loyalty,
      case when skip is null then closing else 0 end as closing, skip is null and completes as completes, skip,
      base + bonus + loyalty as budget, 0::bigint as unranked, 0::bigint as unshared
    from (
      select paid.*, case
        when ended then 'ended'
        when completes and sum(released) over (partition by user_id) > case
          when ${sql.lit(runKinds[run.kind].asset)} = 'GMP' then total.available_gmp else total.available_usd
        end then 'spent'
      end::skip_reason as skip
      from (
        select line.user_id, line.cause_id, line.part, line.input, line.rate_ppm, line.ranked,
          ${sumOf('base')} as base, ${sumOf('bonus')} as bonus, ${sumOf('loyalty')} as loyalty,
          ${sumOf('closing')} as closing, ${sumOf('returned')} as released, bool_or(${isFor(moves, 'returned')}) as completes,
          -- The loyalty that was set aside for it was paid out when the stake ended.
          bool_or(${isFor(moves, 'loyalty')}) and not bool_or(${isFor(moves, 'returned')}) and exists (
            select from stake where stake.id = line.cause_id and stake.status = 'Completed') as ended
        from run_line as line ${postedForLine(moves, run.reverses ?? '')}
        where ${chosen(run)} and line.user_id > ${after}::uuid and line.user_id <= ${to}::uuid
        group by line.user_id, line.cause_id, line.part, line.input, line.rate_ppm, line.ranked
      ) as paid
      join user_total as total using (user_id)
    ) as judged`,
  };
}

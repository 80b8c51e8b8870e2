import { Action, Interaction } from 'contract/reports.ts';
import { sql } from 'kysely';
import type { Db } from '#server/core/db/db.ts';

/** Returns seven months in UTC, up to the last one with a registration, or up to now if there is none. */
export async function selectRegistrations(db: Db) {
  const { rows } = await sql<{ month: string; count: bigint }>`
    with latest as (
      select date_trunc('month', coalesce(
        (select at from user_count where measure = 'registered' order by at desc limit 1), now()
      ) at time zone 'UTC') as month
    ),
    months as (
      select generate_series(month - interval '6 months', month, interval '1 month') as month from latest
    )
    select to_char(month, 'YYYY-MM-DD') as month, coalesce((
      select sum(delta) from user_count
      where measure = 'registered'
        and at >= month at time zone 'UTC' and at < (month + interval '1 month') at time zone 'UTC'
    ), 0)::bigint as count
    from months order by month`.execute(db);
  return rows.map(({ month, count }) => ({ month, count: Number(count) }));
}

const daysCounted = 30;

export async function selectActivity(db: Db) {
  const { rows } = await sql<{ kind: Action | Interaction; count: bigint }>`
    select kind, sum(count)::bigint as count from activity_hour
    where hour > now() - make_interval(days => ${daysCounted}) group by kind`.execute(db);
  const counted = new Map(rows.map(({ kind, count }) => [kind, Number(count)]));
  return {
    actions: Action.options.map((kind) => ({ kind, count: counted.get(kind) ?? 0 })),
    interactions: Interaction.options.map((kind) => ({ kind, count: counted.get(kind) ?? 0 })),
  };
}

/** Returns the number of users, and of those active today or in the 29 days before. */
export async function selectEngagement(db: Db) {
  const { rows } = await sql<{ active: bigint; users: bigint }>`
    select
      coalesce(sum(delta) filter (where measure = 'active'), 0)::bigint as active,
      coalesce(sum(delta) filter (where measure = 'all'), 0)::bigint as users
    from user_count
    where measure = 'all' or (
      measure = 'active'
      and at > (date_trunc('day', now() at time zone 'UTC') - make_interval(days => ${daysCounted})) at time zone 'UTC'
    )`.execute(db);
  return { active: Number(rows[0]?.active ?? 0n), users: Number(rows[0]?.users ?? 0n) };
}

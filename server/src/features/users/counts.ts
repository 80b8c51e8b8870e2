import { sql } from 'kysely';
import { type Db, statement, type Tx } from '#server/core/db/db.ts';

const counted = statement<{ count: bigint }>(
  'select coalesce(sum(delta), 0)::bigint as count from user_count where measure = $1',
);

export async function selectCount(db: Db, measure: 'all' | 'blacklisted') {
  return Number((await counted(db, measure))[0]?.count ?? 0n);
}

/**
 * Merges the rows into one per measure and time. Rows added concurrently are not visible here, so none is lost. Only
 * keys with several rows are touched, so that years of past hours are not rewritten.
 */
export function foldCounts(tx: Tx) {
  return sql`
    with folded as (
      delete from user_count as one
      using (select measure, at from user_count group by measure, at having count(*) > 1) as several
      where one.measure = several.measure
        -- coalesce() allows a hash join; a nested loop over years of hours would take far too long.
        and coalesce(one.at, '-infinity') = coalesce(several.at, '-infinity')
      returning one.measure, one.at, one.delta
    )
    insert into user_count (measure, at, delta)
    select measure, at, sum(delta) from folded group by measure, at having sum(delta) <> 0
  `.execute(tx);
}

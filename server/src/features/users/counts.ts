import { sql } from 'kysely';
import { type Db, statement, type Tx } from '#server/core/db/db.ts';

const counted = statement<{ count: bigint }>(
  'select coalesce(sum(delta), 0)::bigint as count from user_count where measure = $1',
);

export async function selectCount(db: Db, measure: 'all' | 'blacklisted') {
  return Number((await counted(db, measure))[0]?.count ?? 0n);
}

/**
 * Many small rows become one for each measure and time. What is added meanwhile is not seen, and so not lost. Only
 * what stands in more than one row is touched: years of hours that are past stay where they are.
 */
export function foldCounts(tx: Tx) {
  return sql`
    with folded as (
      delete from user_count as one
      using (select measure, at from user_count group by measure, at having count(*) > 1) as several
      where one.measure = several.measure
        -- Written so that the two can be hashed: years of hours against each other would take for ever.
        and coalesce(one.at, '-infinity') = coalesce(several.at, '-infinity')
      returning one.measure, one.at, one.delta
    )
    insert into user_count (measure, at, delta)
    select measure, at, sum(delta) from folded group by measure, at having sum(delta) <> 0
  `.execute(tx);
}

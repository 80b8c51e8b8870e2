import type { Rank } from 'contract/ranks.ts';
import { sql } from 'kysely';
import type { Range } from '../store/ranges.ts';

/** The first change of a user's rank after a time tells the rank that the user held at that time. */
export const rankAt = (asOf: Date) => sql`
  coalesce((
    select later.from_rank from rank_change as later
    where later.user_id = platform_user.id and later.made_at >= ${asOf} order by later.made_at, later.id limit 1
  ), platform_user.rank)`;

/** Selects the users of a range who held a rank at a time. Both parts are found by an index. */
export const holdersAt = (rank: Rank, asOf: Date, { after, to }: Range) => sql`
  select holder.id as user_id from platform_user as holder
  where holder.rank = ${sql.lit(rank)} and holder.id > ${after}::uuid and holder.id <= ${to}::uuid and not exists (
    select from rank_change as later where later.user_id = holder.id and later.made_at >= ${asOf})
  union all
  select former.user_id from (
    select distinct on (user_id) user_id, from_rank from rank_change
    where made_at >= ${asOf} and user_id > ${after}::uuid and user_id <= ${to}::uuid order by user_id, made_at, id
  ) as former
  where former.from_rank = ${sql.lit(rank)}`;

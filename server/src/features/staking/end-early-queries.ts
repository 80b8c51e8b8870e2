import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';
import { postedFor } from '#server/core/ledger/lines.ts';

type EndableStake = {
  id: string;
  stakeId: string;
  userId: string;
  isActive: boolean;
  placedAt: Date;
  /** The end of the last day. From then on, the stake has run its full term, even if that day is not paid yet. */
  maturesAt: Date;
  endedEarlyAt: Date | null;
};

export const selectEndable = (db: Db, stakeIds: readonly string[]) =>
  runQuery<EndableStake>(
    db,
    sql`select id, stake_id as "stakeId", user_id as "userId", status = 'Active' as "isActive", created_at as "placedAt",
        (ends_on + 1) at time zone 'UTC' as "maturesAt",
        ended_early_at as "endedEarlyAt"
      from stake where stake_id = any(${stakeIds}::text[])`,
  );

/** What was set aside for a stake and neither reversed nor paid out. A stake has few days, each an index lookup. */
const setAside = sql`
  coalesce((
    select sum(case it.kind when 'stake-loyalty' then it.units else -it.units end)
    from generate_series(
      stake.created_at::date, least(stake.ends_on, (now() at time zone 'UTC')::date), interval '1 day'
    ) as past (day)
    cross join lateral ${postedFor(sql`past.day::date`, sql`stake.id`)} as it
    where it.kind in ('stake-loyalty', 'loyalty')
  ), 0)`;

type EndedStake = { id: string; userId: string; units: bigint; forfeited: bigint };

/** Completes the stakes, and forfeits what is set aside for them. */
export const updateEnded = (tx: Tx, ends: readonly { id: string; endedAt: Date }[]) =>
  runQuery<EndedStake>(
    tx,
    sql`
    update stake set status = 'Completed', completed_at = now(), ended_early_at = item."endedAt",
      forfeited_usd = ${setAside}
    from json_to_recordset(${rowsAsJson(ends)}) as item (id uuid, "endedAt" timestamptz)
    where stake.id = item.id
    returning stake.id, stake.user_id as "userId", stake.amount_usd as units, stake.forfeited_usd as forfeited`,
  );

import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';

/** Notes when users were last active. Most were active on that day before, and their rows do not change. */
export async function markActive(tx: Tx, active: readonly { userId: string; at: Date }[]) {
  await sql`
    update platform_user as active set last_active_on = latest.day
    from (
      select "userId", max((at at time zone 'UTC')::date) as day
      from json_to_recordset(${rowsAsJson(active)}) as item ("userId" uuid, at timestamptz) group by "userId"
    ) as latest
    where active.id = latest."userId" and coalesce(active.last_active_on, '-infinity') < latest.day`.execute(tx);
}

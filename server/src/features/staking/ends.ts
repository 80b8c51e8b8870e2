import type { StakeStatus } from 'contract/staking.ts';
import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';

import { isKept } from '#server/core/ledger/lines.ts';

type Lines = { runId: string; day: string; after: string; to: string; hasDropped: boolean };

/**
 * Completes the stakes that the given lines of a run complete, or reactivates them when the run is reversed. Returns
 * the number of changed stakes.
 */
export async function endStakes(tx: Tx, { runId, day, after, to, hasDropped }: Lines, status: StakeStatus) {
  const completedAt = status === 'Completed' ? sql`now()` : sql`null`;
  const { numAffectedRows } = await sql`
    update stake set status = ${sql.lit(status)}, completed_at = ${completedAt}
    from run_line as line
    where line.run_id = ${runId}::uuid and line.day = ${day}::date
      and line.user_id > ${after}::uuid and line.user_id <= ${to}::uuid and line.completes
      ${hasDropped ? sql`and ${isKept('line')}` : sql``}
      and stake.id = line.cause_id and stake.status <> ${sql.lit(status)}`.execute(tx);
  return numAffectedRows ?? 0n;
}

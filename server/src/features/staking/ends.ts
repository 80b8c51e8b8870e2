import { stakesInEvent } from 'contract/integrations-events.ts';
import type { StakeStatus } from 'contract/staking.ts';
import { sql } from 'kysely';
import { runQuery, type Tx } from '#server/core/db/db.ts';
import { isKept } from '#server/core/ledger/lines.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';

type Lines = { runId: string; day: string; after: string; to: string; hasDropped: boolean };
type EndedStake = { id: string; stakeId: string; userUuid: string; userId: string; amount: bigint };

/**
 * Completes the stakes that the given lines of a run complete, or reactivates them when the run is reversed. Returns
 * the number of changed stakes.
 */
export async function endStakes(tx: Tx, lines: Lines, status: StakeStatus) {
  const changed = await updateEnded(tx, lines, status);
  if (status === 'Completed') await recordCompleted(tx, lines, changed);
  return BigInt(changed.length);
}

function updateEnded(tx: Tx, { runId, day, after, to, hasDropped }: Lines, status: StakeStatus) {
  const completedAt = status === 'Completed' ? sql`now()` : sql`null`;
  return runQuery<EndedStake>(
    tx,
    sql`
    update stake set status = ${sql.lit(status)}, completed_at = ${completedAt}
    from run_line as line
    where line.run_id = ${runId}::uuid and line.day = ${day}::date
      and line.user_id > ${after}::uuid and line.user_id <= ${to}::uuid and line.completes
      ${hasDropped ? sql`and ${isKept('line')}` : sql``}
      and stake.id = line.cause_id and stake.status <> ${sql.lit(status)}
    returning stake.id, stake.stake_id as "stakeId", stake.user_id as "userUuid",
      (select holder.user_id from platform_user as holder where holder.id = stake.user_id) as "userId",
      stake.amount_usd as amount`,
  );
}

async function recordCompleted(tx: Tx, { runId, day }: Lines, ended: readonly EndedStake[]) {
  for (let from = 0; from < ended.length; from += stakesInEvent) {
    const stakes = ended.slice(from, from + stakesInEvent);
    const data = { runId, day, count: stakes.length, stakes };
    await recordEvent(tx, { type: 'stake.completed', subjectId: runId, data });
  }
}

import type { Database, Tx } from '#server/core/db/db.ts';
import { recordAudit } from './audit.ts';
import { countDenial, type DenialRow, lockPendingDenials, selectUncounted, updateCounted } from './denial-queries.ts';

/** An administrator, or an API key. */
type DeniedCaller = { actorId: string } | { apiKeyId: string };

/**
 * Counts a denied call. The first one of a caller is audited at once, and those of the next minute together in one row:
 * every audit row makes all others wait, so a caller who is denied again and again must not write one each time.
 */
export function recordDenial(database: Database, caller: DeniedCaller, call: string) {
  const isApiKey = 'apiKeyId' in caller;
  const callerId = isApiKey ? caller.apiKeyId : caller.actorId;
  return database.transaction().execute(async (tx) => {
    const denial = await countDenial(tx, { callerId, isApiKey, call });
    if (denial.isDue) await writeRow(tx, denial);
  });
}

/** Audits denials that were counted more than a minute ago, of callers who have not been denied anything since. */
export async function recordPendingDenials(database: Database) {
  for (const callerId of await selectUncounted(database)) {
    await database.transaction().execute(async (tx) => {
      const denial = await lockPendingDenials(tx, callerId);
      if (denial?.isDue) await writeRow(tx, denial);
    });
  }
}

async function writeRow(tx: Tx, { callerId, isApiKey, pending: count, calls }: DenialRow) {
  await updateCounted(tx, callerId);
  const actor = isApiKey ? { actorId: null, apiKeyId: callerId } : { actorId: callerId };
  await recordAudit(tx, { ...actor, action: 'auth.denied', details: { count, calls } });
}

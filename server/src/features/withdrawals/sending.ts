import type { WithdrawalMode } from 'contract/withdrawal-states.ts';
import type { Withdrawal } from 'contract/withdrawals.ts';
import type { Tx } from '#server/core/db/db.ts';
import { updateAsked } from './settlement-queries.ts';

/**
 * Sends approved withdrawals. `ask` is called once for each, in the transaction that approves it, and must not send
 * anything before that commits. The outcome is reported later, by the functions of settlement.ts.
 */
type Sender = { ask: (tx: Tx, withdrawal: Withdrawal) => Promise<void> };

/** An administrator pays elsewhere and records the reference. The Settlement view lists what is not sent yet. */
const manual: Sender = { ask: () => Promise.resolve() };

/** The platform sends. It reports the outcome (`reportFromPlatform`). */
const platform: Sender = { ask: askPlatform };

export const senders: Record<WithdrawalMode, Sender> = { manual, platform };

/** Records that the platform was asked. A withdrawal is asked for once: the database refuses a second time. */
async function askPlatform(tx: Tx, { id }: Withdrawal) {
  await updateAsked(tx, id);
}

import type { Reason } from 'contract/runs-reasons.ts';
import type { Tx } from '#server/core/db/db.ts';
import { treasuryOf } from '#server/core/ledger/lines.ts';
import type { RunRow } from '../store/run-queries.ts';

/** Returns that the treasury does not hold the units, or undefined if it does. A reversal pays nothing from it. */
export async function whyUncovered(tx: Tx, { asset, reverses }: RunRow, units: bigint): Promise<Reason | undefined> {
  if (reverses !== null || units === 0n) return undefined;
  const held = await treasuryOf(tx, asset);
  if (held >= units) return undefined;
  return { code: 'treasury-too-low', params: { asset, treasuryUnits: String(held), neededUnits: String(units) } };
}

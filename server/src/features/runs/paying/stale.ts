import { writeAmount } from 'contract/core/money.ts';
import type { Tx } from '#server/core/db/db.ts';
import { treasuryOf } from '#server/core/ledger/lines.ts';
import type { Range } from '../store/ranges.ts';
import type { RunRow } from '../store/run-queries.ts';
import { selectBarred } from './pay-queries.ts';

/** Why what was planned is not to be paid: what it was made from has changed in a way that matters. */
export async function whyStale(tx: Tx, run: RunRow, { range, toFund }: { range: Range; toFund: bigint }) {
  if (run.reverses !== null) return undefined;
  const barred = await selectBarred(tx, run, range);
  if (barred.length > 0) {
    const names = barred.slice(0, 3).map(({ username }) => username);
    const more = barred.length > 3 ? ' and others' : '';
    const what = barred.some(({ blacklisted }) => blacklisted) ? 'blacklisted' : 'deleted';
    return `Since it was planned, ${names.join(', ')}${more} ${barred.length > 1 ? 'were' : 'was'} ${what}.`;
  }
  if (toFund === 0n) return undefined;
  const held = await treasuryOf(tx, run.asset);
  if (held >= toFund) return undefined;
  return `The treasury has ${writeAmount(held, run.asset)} ${run.asset}, and ${writeAmount(toFund, run.asset)} is to be paid.`;
}

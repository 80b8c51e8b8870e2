import type { Reason } from 'contract/runs-reasons.ts';
import type { Tx } from '#server/core/db/db.ts';
import { treasuryOf } from '#server/core/ledger/lines.ts';
import type { Range } from '../store/ranges.ts';
import type { RunRow } from '../store/run-queries.ts';
import { selectIneligible } from './pay-queries.ts';

type Needed = { range: Range; toFund: bigint };

const usersNamed = 3;

/** Returns why a plan must not be paid any more: its users became ineligible, or the treasury is too low. */
export async function whyOutdated(tx: Tx, run: RunRow, { range, toFund }: Needed): Promise<Reason | undefined> {
  if (run.reverses !== null) return undefined;
  const ineligible = await selectIneligible(tx, run, range);
  if (ineligible.length > 0) {
    const usernames = ineligible.slice(0, usersNamed).map(({ username }) => username);
    return {
      code: 'users-ineligible',
      params: { usernames, more: ineligible.length > usersNamed, since: sinceThen(ineligible) },
    };
  }
  if (toFund === 0n) return undefined;
  const held = await treasuryOf(tx, run.asset);
  if (held >= toFund) return undefined;
  return {
    code: 'treasury-too-low',
    params: { asset: run.asset, treasuryUnits: String(held), neededUnits: String(toFund) },
  };
}

function sinceThen(users: readonly { blacklisted: boolean }[]) {
  if (users.every(({ blacklisted }) => blacklisted)) return 'blacklisted';
  return users.some(({ blacklisted }) => blacklisted) ? 'blacklisted-or-deleted' : 'deleted';
}

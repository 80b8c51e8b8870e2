import { createHash } from 'node:crypto';
import type { RunRow } from './run-queries.ts';

/** Hashes what is paid to whom, by which rules and for which period, but not when or where it was planned. */
export function hashOf({ kind, period, day, part, asset, ...run }: RunRow, digests: string[]) {
  const rules = [run.settingsVersion, sorted(run.settings), sorted(run.inputs), run.reverses];
  return createHash('sha256')
    .update(JSON.stringify([kind, period, day, part, asset, rules, digests]))
    .digest('hex');
}

const sorted = (record: unknown) =>
  Object.entries(record as Record<string, unknown>).toSorted(([one], [other]) => (one < other ? -1 : 1));

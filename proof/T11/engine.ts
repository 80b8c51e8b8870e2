import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as key from '../../server/src/core/audit/key.ts';
import type * as db from '../../server/src/core/db/db.ts';
import type * as due from '../../server/src/features/runs/schedule/due.ts';
import type * as pay from '../../server/src/features/runs/paying/pay.ts';
import type * as plan from '../../server/src/features/runs/planning/plan.ts';
import type * as ends from '../../server/src/features/staking/ends.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';

export type Engine = Awaited<ReturnType<typeof loadEngine>>;

/** Loads the runs feature from a folder, which may hold a changed copy, as modules separate from ours. */
export async function loadEngine(folder: string) {
  const load = (file: string): Promise<unknown> =>
    import(pathToFileURL(path.join(folder, 'server/src', file)).href) as Promise<unknown>;
  const { triggerDueRuns } = (await load('features/runs/schedule/due.ts')) as typeof due;
  const { planRun } = (await load('features/runs/planning/plan.ts')) as typeof plan;
  const { payRuns } = (await load('features/runs/paying/pay.ts')) as typeof pay;
  const { endStakes } = (await load('features/staking/ends.ts')) as typeof ends;
  const { sealAuditWith } = (await load('core/audit/key.ts')) as typeof key;
  const { connect } = (await load('core/db/db.ts')) as typeof db;
  sealAuditWith(testConfig('postgres://unused').audit.key);
  return { triggerDueRuns, planRun, payRuns, endStakes, connect };
}

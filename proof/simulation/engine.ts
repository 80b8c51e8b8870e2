import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as approvals from '../../server/src/core/approvals/service.ts';
import type * as key from '../../server/src/core/audit/key.ts';
import type * as db from '../../server/src/core/db/db.ts';
import type * as refusal from '../../server/src/core/refusal.ts';
import type * as effects from '../../server/src/effects.ts';
import type * as actions from '../../server/src/features/runs/paying/actions.ts';
import type * as pay from '../../server/src/features/runs/paying/pay.ts';
import type * as create from '../../server/src/features/runs/planning/create.ts';
import type * as plan from '../../server/src/features/runs/planning/plan.ts';
import type * as replan from '../../server/src/features/runs/planning/replan.ts';
import type * as reverse from '../../server/src/features/runs/planning/reverse.ts';
import type * as ends from '../../server/src/features/staking/ends.ts';
import { testConfig } from '../../server/src/core/testing/config.ts';

export type Engine = Awaited<ReturnType<typeof loadEngine>>;

/** Loads what administrators and workers do with runs from a folder, which may hold a changed copy of the code. */
export async function loadEngine(folder: string) {
  const load = (file: string): Promise<unknown> =>
    import(pathToFileURL(path.join(folder, 'server/src', file)).href) as Promise<unknown>;
  const { decideApproval } = (await load('core/approvals/service.ts')) as typeof approvals;
  const { sealAuditWith } = (await load('core/audit/key.ts')) as typeof key;
  const { connect } = (await load('core/db/db.ts')) as typeof db;
  const { Refusal } = (await load('core/refusal.ts')) as typeof refusal;
  const { effectsOf } = (await load('effects.ts')) as typeof effects;
  const { startRun, steerRun } = (await load('features/runs/paying/actions.ts')) as typeof actions;
  const { payNext } = (await load('features/runs/paying/pay.ts')) as typeof pay;
  const { planManually } = (await load('features/runs/planning/create.ts')) as typeof create;
  const { planRun } = (await load('features/runs/planning/plan.ts')) as typeof plan;
  const { replan: replanRun, replanUser } = (await load('features/runs/planning/replan.ts')) as typeof replan;
  const { planReversal } = (await load('features/runs/planning/reverse.ts')) as typeof reverse;
  const { endStakes } = (await load('features/staking/ends.ts')) as typeof ends;
  sealAuditWith(testConfig('postgres://unused').audit.key);
  return {
    connect,
    Refusal,
    decideApproval,
    effectsOf,
    startRun,
    steerRun,
    payNext,
    planManually,
    planRun,
    replanRun,
    replanUser,
    planReversal,
    endStakes,
  };
}

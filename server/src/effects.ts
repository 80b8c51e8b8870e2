import { grantEffect } from './admins/service.ts';
import { limitEffect } from './approvals/limits.ts';
import { settingsEffect } from './jobs/service.ts';
import { adjustmentEffect } from './ledger/adjust.ts';
import type { AskFor } from './queue/queue.ts';
import { repairEffect } from './referrals/service.ts';
import { owedByRuns } from './runs/begin.ts';
import { runEffect } from './runs/service.ts';
import { planEffect } from './staking/service.ts';
import { rewardEffect } from './tasks/service.ts';
import { withdrawalEffect } from './withdrawals/decide.ts';

/** What an approval does, for each kind of request. */
export const effectsOf = (askFor: AskFor) => ({
  withdrawal: withdrawalEffect,
  adjustment: adjustmentEffect(owedByRuns),
  task: rewardEffect(owedByRuns),
  run: runEffect(askFor),
  settings: settingsEffect,
  limit: limitEffect,
  grant: grantEffect,
  repair: repairEffect(askFor),
  plan: planEffect,
});

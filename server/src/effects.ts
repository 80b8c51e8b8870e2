import { demotionEffect, grantEffect, removalEffect } from './features/admins/service.ts';
import { accountEffect } from './core/approvals/authority.ts';
import { limitEffect } from './core/approvals/limits.ts';
import { settingsEffect } from './features/jobs/service.ts';
import { adjustmentEffect } from './core/ledger/adjust.ts';
import type { Enqueue } from './core/queue/queue.ts';
import { repairEffect } from './features/referrals/service.ts';
import { owedByRuns } from './features/runs/paying/start.ts';
import { planEffect } from './features/staking/service.ts';
import { rewardEffect } from './features/tasks/service.ts';
import { promotionEffect } from './features/users/promotions.ts';
import { withdrawalEffect } from './features/withdrawals/decide.ts';
import { runEffect } from './features/runs/paying/actions.ts';

/** The effect of an approval, for each kind of request. */
export const effectsOf = (enqueue: Enqueue) => ({
  withdrawal: withdrawalEffect,
  adjustment: adjustmentEffect(owedByRuns),
  task: rewardEffect(owedByRuns),
  run: runEffect,
  settings: settingsEffect,
  limit: limitEffect,
  grant: grantEffect,
  repair: repairEffect(enqueue),
  plan: planEffect,
  promotion: promotionEffect,
  demotion: demotionEffect,
  removal: removalEffect,
  account: accountEffect,
});

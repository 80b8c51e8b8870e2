import { recoveryEffect } from './features/admins/recovery.ts';
import { demotionEffect, grantEffect, removalEffect } from './features/admins/service.ts';
import { accountEffect } from './core/approvals/authority.ts';
import type { Effect } from './core/approvals/approvals.ts';
import { limitEffect } from './core/approvals/limits.ts';
import { settingsEffect as jobSettingsEffect } from './features/jobs/service.ts';
import { adjustmentEffect } from './core/ledger/adjust.ts';
import type { Enqueue } from './core/queue/queue.ts';
import { repairEffect } from './features/referrals/service.ts';
import { owedByRuns } from './features/runs/paying/start.ts';
import { planEffect } from './features/staking/service.ts';
import { rewardEffect } from './features/tasks/service.ts';
import { keyEffect } from './features/integrations/keys/service.ts';
import { revealEffect } from './features/users/key-reveals.ts';
import { promotionEffect } from './features/users/promotions.ts';
import { withdrawalEffect } from './features/withdrawals/decide.ts';
import { withdrawalSettingsEffect } from './features/withdrawals/settings.ts';
import { runEffect } from './features/runs/paying/actions.ts';

/** Changes of settings are about a job, or about how withdrawals are sent; the subject tells which. */
const settingsEffect: Effect = {
  payloadOf: async (tx, id) =>
    (await jobSettingsEffect.payloadOf(tx, id)) ?? (await withdrawalSettingsEffect.payloadOf(tx, id)),
  async apply(tx, approved) {
    const ofJob = await jobSettingsEffect.payloadOf(tx, approved.subjectId);
    await (ofJob ? jobSettingsEffect : withdrawalSettingsEffect).apply(tx, approved);
  },
};

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
  key: keyEffect,
  reveal: revealEffect,
  recovery: recoveryEffect,
});

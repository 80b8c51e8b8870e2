import { Switch, TextInput } from '@mantine/core';
import type { Answer } from 'contract/core/endpoint.ts';
import { changeRequested } from '#panel/domain/waiting-change.tsx';
import { Card } from '#panel/ui/card.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { stakePayoutQuery, useSaving } from './api.ts';
import { numberIn, percentageRule, percentText, useDraft } from './draft.ts';
import { EffectiveFrom } from './effective-from.tsx';
import { JobFoot, useDisabledReason } from './job-foot.tsx';
import { JobPage } from './job-page.tsx';
import { NextRun } from './next-run.tsx';
import { StakePayout, type readStakePayout, saveStakePayout } from 'contract/jobs-stake-payout.ts';

export function StakePayoutPage() {
  return (
    <JobPage job="stake-payout" title="Stake Payout Settings" query={stakePayoutQuery}>
      {(stored) => <StakePayoutForm {...stored} />}
    </JobPage>
  );
}

type Draft = { enabled: boolean; baseReward: string; bonusReward: string; loyaltyReward: string };
type Share = Exclude<keyof Draft, 'enabled'>;

const shares: { field: Share; label: string; meaning: string }[] = [
  { field: 'baseReward', label: 'Base reward', meaning: 'Paid to every active stake.' },
  { field: 'bonusReward', label: 'Bonus reward', meaning: 'Paid where the owner holds a rank, Silver or above.' },
  {
    field: 'loyaltyReward',
    label: 'Loyalty reward',
    meaning: 'Set aside, and paid in one sum when the stake completes its full duration.',
  },
];

const nothingPaid = 'Saving pays nothing; the next run uses these settings.';

const draftOf = ({ enabled, baseReward, bonusReward, loyaltyReward }: StakePayout): Draft => ({
  enabled,
  baseReward: percentText(baseReward),
  bonusReward: percentText(bonusReward),
  loyaltyReward: percentText(loyaltyReward),
});

const read = ({ enabled, baseReward, bonusReward, loyaltyReward }: Draft) =>
  StakePayout.safeParse({
    enabled,
    baseReward: numberIn(baseReward),
    bonusReward: numberIn(bonusReward),
    loyaltyReward: numberIn(loyaltyReward),
  });

function StakePayoutForm({ settings, version, waiting }: Answer<typeof readStakePayout>) {
  const denied = useDisabledReason();
  const draft = useDraft({
    stored: draftOf(settings),
    version,
    waiting,
    read,
    formatIssue: ({ code, message }) => (code === 'custom' ? message : percentageRule),
    missing: () => 'Enter a percentage.',
  });
  const saving = useSaving(saveStakePayout, {
    queryKey: stakePayoutQuery.queryKey,
    onSaved: ({ version: saved, waiting: requested }) =>
      draft.saved(
        requested ? changeRequested : `Stake payout settings saved as version ${saved}. ${nothingPaid}`,
        requested,
      ),
  });
  const save = draft.onSubmit((body) => {
    if (!saving.isPending && !denied) saving.mutate({ body });
  });
  return (
    <div className="form-columns">
      <Card>
        <form className="form" noValidate onSubmit={save}>
          <FormFields saving={saving.isPending}>
            <Switch
              label="Enabled"
              description={
                denied ??
                (draft.values.enabled
                  ? 'Due every day at 00:00 UTC, for the day that ended. Above the limit, an administrator must start it.'
                  : 'Not scheduled.')
              }
              checked={draft.values.enabled}
              disabled={denied !== undefined}
              onChange={(event) => draft.edit({ enabled: event.currentTarget.checked })}
            />
            {shares.map(({ field, label, meaning }) => (
              <TextInput
                key={field}
                label={label}
                name={field}
                description={meaning}
                type="number"
                inputMode="decimal"
                min={0}
                max={100}
                step={0.01}
                rightSection={<span className="form-unit">%</span>}
                value={draft.values[field]}
                error={draft.errorOf(field)}
                disabled={denied !== undefined}
                onChange={(event) => draft.edit({ [field]: event.currentTarget.value })}
              />
            ))}
            <EffectiveFrom draft={draft} otherwise="Leave empty to apply from the next unpaid day." />
          </FormFields>
          <ShareTotal draft={draft.values} />
          <JobFoot label="Save Settings" saving={saving} message={draft.message} isOutdated={draft.isOutdated} />
        </form>
      </Card>
      <NextRun job="stake-payout" unsaved={draft.unsaved} waiting={waiting} />
    </div>
  );
}

/** Shows the sum of the shares in the unsaved draft. */
function ShareTotal({ draft }: { draft: Draft }) {
  const typed = shares.map(({ field }) => ({ field, percent: Math.max(0, numberIn(draft[field]) || 0) }));
  const sum = Math.round(typed.reduce((all, { percent }) => all + percent, 0) * 100) / 100;
  const left = Math.round((100 - sum) * 100) / 100;
  return (
    <div className="jobs-together" data-over={left < 0 || undefined}>
      <div className="jobs-shares" aria-hidden>
        {typed.map(({ field, percent }) => (
          <span key={field} className="jobs-share" data-share={field} style={{ flexGrow: percent }} />
        ))}
        <span className="jobs-share" style={{ flexGrow: Math.max(0, left) }} />
      </div>
      <output className="jobs-sum">
        <strong>{sum}% of 100%</strong>
        <span className="jobs-left">
          {left < 0 ? `${-left}% too much.` : `${left}% of the day’s reward stays in the treasury.`}
        </span>
      </output>
    </div>
  );
}

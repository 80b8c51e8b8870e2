import { NativeSelect, TextInput } from '@mantine/core';
import type { Answer } from 'contract/core/endpoint.ts';
import { writeAmount } from 'contract/core/money.ts';
import { Rank } from 'contract/ranks.ts';
import { changeRequested } from '#panel/domain/waiting-change.tsx';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { useNowMs } from '#panel/ui/clock.ts';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { rankBonusQuery, useSaving } from './api.ts';
import { useDraft } from './draft.ts';
import { EffectiveFrom } from './effective-from.tsx';
import { JobFoot, useDisabledReason } from './job-foot.tsx';
import { JobPage } from './job-page.tsx';
import { NextRun } from './next-run.tsx';
import { pastWeeks } from './past-weeks.ts';
import { RankBonus, type readRankBonus, saveRankBonus } from 'contract/jobs-rank-bonus.ts';

export function RankBonusPage() {
  return (
    <JobPage job="rank-bonus" title="Rank Bonus" query={rankBonusQuery}>
      {(stored) => <RankBonusForm {...stored} />}
    </JobPage>
  );
}

type Draft = { rank: string; bonusAmount: string };

const draftOf = ({ rank, bonusAmount }: RankBonus): Draft => ({ rank, bonusAmount: writeAmount(bonusAmount, 'USD') });

const read = ({ rank, bonusAmount }: Draft) => RankBonus.safeParse({ rank, bonusAmount: bonusAmount.trim() });

function formatStored({ settings: { rank, bonusAmount }, version, waiting }: Answer<typeof saveRankBonus>) {
  if (waiting) return changeRequested;
  const bonus = `${formatAmount(bonusAmount, 'USD')} for every holder of ${rank}`;
  return `Saved as version ${version}: ${bonus}. No payments made; preview to run it.`;
}

function RankBonusForm({ settings, version, waiting }: Answer<typeof readRankBonus>) {
  const denied = useDisabledReason();
  const draft = useDraft({
    stored: draftOf(settings),
    version,
    waiting,
    read,
    formatIssue: () => 'Enter an amount above 0 and up to 1,000,000, with at most 6 decimals.',
    missing: () => 'Enter an amount.',
  });
  const saving = useSaving(saveRankBonus, {
    queryKey: rankBonusQuery.queryKey,
    onSaved: (stored) => draft.saved(formatStored(stored), stored.waiting),
  });
  const save = draft.onSubmit((body) => {
    if (!saving.isPending && !denied) saving.mutate({ body });
  });
  return (
    <div className="form-columns">
      <Card>
        <form className="form" noValidate onSubmit={save}>
          <FormFields saving={saving.isPending}>
            <NativeSelect
              label="Rank"
              data={Rank.options}
              value={draft.values.rank}
              disabled={denied !== undefined}
              onChange={(event) => draft.edit({ rank: event.currentTarget.value })}
            />
            <TextInput
              label="Bonus amount"
              name="bonusAmount"
              description="For every holder of that rank who is not blacklisted, at most once in a week."
              inputMode="decimal"
              rightSectionWidth={52}
              rightSection={<span className="form-unit">USD</span>}
              value={draft.values.bonusAmount}
              error={draft.errorOf('bonusAmount')}
              disabled={denied !== undefined}
              onChange={(event) => draft.edit({ bonusAmount: event.currentTarget.value })}
            />
            <EffectiveFrom draft={draft} otherwise="Leave empty to apply immediately." />
          </FormFields>
          <JobFoot label="Save Rank Bonus" saving={saving} message={draft.message} isOutdated={draft.isOutdated} />
        </form>
      </Card>
      <NextRun job="rank-bonus" unsaved={draft.unsaved} waiting={waiting} pastPeriods={pastWeeks(useNowMs())} />
    </div>
  );
}

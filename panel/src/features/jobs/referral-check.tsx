import { TextInput } from '@mantine/core';
import type { Waiting } from 'contract/approvals.ts';
import type { Answer } from 'contract/core/endpoint.ts';
import { changeRequested } from '#panel/domain/waiting-change.tsx';
import { Card } from '#panel/ui/card.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { referralCheckQuery, useSaving } from './api.ts';
import { usePlanning } from './run-api.ts';
import { numberIn, percentageRule, percentText, useDraft } from './draft.ts';
import { JobFoot, useDisabledReason } from './job-foot.tsx';
import { JobPage } from './job-page.tsx';
import { NextRun } from './next-run.tsx';
import { TreeCard } from './tree-card.tsx';
import { ReferralCheck, type readReferralCheck, saveReferralCheck } from 'contract/jobs-referral-check.ts';

export function ReferralCheckPage() {
  return (
    <JobPage job="referral-check" title="Referral Check" query={referralCheckQuery}>
      {(stored) => (
        <>
          <ReferralCheckForm {...stored} />
          <TreeCard />
        </>
      )}
    </JobPage>
  );
}

type Draft = { period: string; reward: string };

const draftOf = ({ period, reward }: ReferralCheck): Draft => ({ period: String(period), reward: percentText(reward) });

const read = ({ period, reward }: Draft) =>
  ReferralCheck.safeParse({ period: numberIn(period), reward: numberIn(reward) });

const rules: Record<string, string> = {
  period: 'Enter a whole number of days from 1 to 3650.',
  reward: percentageRule,
};

const missing: Record<keyof Draft, string> = { period: 'Enter a number of days.', reward: 'Enter a percentage.' };

const formatDays = (days: number) => (days === 1 ? '1 day' : `${days} days`);

const planned = 'The check is planned; nothing was paid. Review and run it under Next run.';
const requested = `${changeRequested} The check was not planned. Press Run Check again after the approval.`;

type Check = { settings: ReferralCheck; version: number };

const isSame = ({ settings: one }: Check, { settings: other }: Check) =>
  one.period === other.period && one.reward === other.reward;

/**
 * Plans the check with the settings in force. Changed settings are requested instead, because a plan would still use
 * the old ones. Unchanged settings are not saved again: that would supersede a change that waits for approval.
 */
function useRunCheck({ inForce, onDone }: { inForce: Check; onDone: (text: string, request: Waiting | null) => void }) {
  const planning = usePlanning();
  const plan = ({ settings: { period }, version }: Check) => {
    const checked = `Version ${version}: referrals of the last ${formatDays(period)}. `;
    planning.mutate(
      { body: { kind: 'referral-check' } },
      {
        onSuccess: () => onDone(checked + planned, null),
        onError: ({ message: why }) => onDone(`${checked}The check was not planned. ${why}`, null),
      },
    );
  };
  const saving = useSaving(saveReferralCheck, {
    queryKey: referralCheckQuery.queryKey,
    onSaved: (stored) => (stored.waiting ? onDone(requested, stored.waiting) : plan(stored)),
  });
  return {
    saving,
    isPending: saving.isPending || planning.isPending,
    run: (body: Check) => (isSame(body, inForce) ? plan(inForce) : saving.mutate({ body })),
  };
}

function ReferralCheckForm({ settings, version, waiting }: Answer<typeof readReferralCheck>) {
  const denied = useDisabledReason();
  const draft = useDraft({
    stored: draftOf(settings),
    version,
    waiting,
    read,
    formatIssue: ({ path, message }) => rules[String(path[0])] ?? message,
    missing: (field) => missing[field],
  });
  const { saving, isPending, run } = useRunCheck({ inForce: { settings, version }, onDone: draft.saved });
  const save = draft.onSubmit((body) => {
    if (!isPending && !denied) run(body);
  });
  return (
    <div className="form-columns">
      <Card>
        <form className="form" noValidate onSubmit={save}>
          <FormFields saving={isPending}>
            <TextInput
              label="Period in days"
              name="period"
              description="Checks first stakes placed within this many days, and lists users who joined in that time and have not staked."
              type="number"
              inputMode="numeric"
              min={1}
              max={3_650}
              rightSectionWidth={56}
              rightSection={<span className="form-unit">days</span>}
              value={draft.values.period}
              error={draft.errorOf('period')}
              disabled={denied !== undefined}
              onChange={(event) => draft.edit({ period: event.currentTarget.value })}
            />
            <TextInput
              label="Reward"
              name="reward"
              description="The sponsor’s share of the referred user’s first stake, paid once."
              type="number"
              inputMode="decimal"
              min={0}
              max={100}
              step={0.01}
              rightSection={<span className="form-unit">%</span>}
              value={draft.values.reward}
              error={draft.errorOf('reward')}
              disabled={denied !== undefined}
              onChange={(event) => draft.edit({ reward: event.currentTarget.value })}
            />
          </FormFields>
          <JobFoot
            label="Run Check"
            saving={{ ...saving, isPending }}
            message={draft.message}
            isOutdated={draft.isOutdated}
          />
        </form>
      </Card>
      <NextRun job="referral-check" unsaved={draft.unsaved} waiting={waiting} />
    </div>
  );
}

import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import { writeAmount } from 'contract/core/money.ts';
import { Rank, RankThresholds } from 'contract/ranks.ts';
import type { z } from 'zod';
import { changeRequested, WaitingChange } from '#panel/domain/waiting-change.tsx';
import { Card } from '#panel/ui/card.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { rankThresholdsQuery, useSaving } from './api.ts';
import { numberIn, useDraft } from './draft.ts';
import { JobFoot, useDisabledReason } from './job-foot.tsx';
import { VersionLine } from './job-page.tsx';
import { type readRankThresholds, saveRankThresholds } from 'contract/jobs-rank-promotion.ts';

const failed = 'The thresholds could not be loaded.';

export function Thresholds() {
  const query = useQuery(rankThresholdsQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  const { data, error } = query;
  return (
    <Card title="Thresholds">
      {data ? (
        <ThresholdsForm {...data} />
      ) : error ? (
        <LoadError title={failed} query={query} />
      ) : (
        <SkeletonLines lines={6} label="Loading the thresholds" />
      )}
    </Card>
  );
}

type Field = `${Rank}.${'referrals' | 'volume'}`;
type Draft = Record<Field, string>;

const draftOf = (thresholds: RankThresholds) =>
  Object.fromEntries(
    Rank.options.flatMap((rank) => [
      [`${rank}.referrals`, String(thresholds[rank].referrals)],
      [`${rank}.volume`, writeAmount(thresholds[rank].volume, 'USD')],
    ]),
  ) as Draft;

const thresholdIn = (draft: Draft, rank: Rank) => ({
  referrals: numberIn(draft[`${rank}.referrals`]),
  volume: draft[`${rank}.volume`].trim(),
});

const read = (draft: Draft) =>
  RankThresholds.safeParse(Object.fromEntries(Rank.options.map((rank) => [rank, thresholdIn(draft, rank)])));

function formatIssue(issue: z.core.$ZodIssue) {
  if (issue.code === 'custom' && issue.params) return issue.message;
  return issue.path[1] === 'referrals'
    ? 'Enter a whole number from 1 to 1,000,000.'
    : 'Enter an amount from 0 to 1,000,000,000, with at most 6 decimals.';
}

const formatMissing = (field: Field) =>
  field.endsWith('referrals') ? 'Enter a number of referrals.' : 'Enter an amount.';

const nobodyPromoted = 'No one was promoted. See below who would be.';

function ThresholdsForm({ settings, ...stored }: Answer<typeof readRankThresholds>) {
  const denied = useDisabledReason();
  const draft = useDraft({
    stored: draftOf(settings),
    version: stored.version,
    waiting: stored.waiting,
    read,
    formatIssue,
    missing: formatMissing,
  });
  const saving = useSaving(saveRankThresholds, {
    queryKey: rankThresholdsQuery.queryKey,
    onSaved: ({ version, waiting }) =>
      draft.saved(waiting ? changeRequested : `Thresholds saved as version ${version}. ${nobodyPromoted}`, waiting),
  });
  const save = draft.onSubmit((body) => {
    if (!saving.isPending && !denied) saving.mutate({ body });
  });
  const field = (name: Field) => ({
    name,
    value: draft.values[name],
    error: draft.errorOf(name),
    disabled: denied !== undefined,
    onChange: (event: { currentTarget: { value: string } }) => draft.edit({ [name]: event.currentTarget.value }),
  });
  return (
    <form className="form" noValidate onSubmit={save}>
      <p className="jobs-hint">
        A user reaches a rank by meeting both. <VersionLine {...stored} />.
      </p>
      <WaitingChange waiting={stored.waiting} />
      <FormFields saving={saving.isPending}>
        {Rank.options.map((rank) => (
          <div key={rank} className="form-row">
            <TextInput
              label={`${rank}: direct referrals`}
              type="number"
              inputMode="numeric"
              min={1}
              {...field(`${rank}.referrals`)}
            />
            <TextInput
              label={`${rank}: team volume`}
              inputMode="decimal"
              rightSectionWidth={52}
              rightSection={<span className="form-unit">USD</span>}
              {...field(`${rank}.volume`)}
            />
          </div>
        ))}
      </FormFields>
      <JobFoot label="Save Thresholds" saving={saving} message={draft.message} isOutdated={draft.isOutdated} />
    </form>
  );
}

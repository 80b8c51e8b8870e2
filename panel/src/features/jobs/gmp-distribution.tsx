import type { Answer } from 'contract/core/endpoint.ts';
import { changeRequested } from '#panel/domain/waiting-change.tsx';
import { Card } from '#panel/ui/card.tsx';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { gmpDistributionQuery, useSaving } from './api.ts';
import { useDraft } from './draft.ts';
import { draftOf, readDraft, formatIssue, formatMissing } from './gmp-draft.ts';
import { GmpFields } from './gmp-fields.tsx';
import { EffectiveFrom } from './effective-from.tsx';
import { JobFoot, useDisabledReason } from './job-foot.tsx';
import { JobPage } from './job-page.tsx';
import { NextRun } from './next-run.tsx';
import { NextRuns } from './next-runs.tsx';
import { type readGmpDistribution, saveGmpDistribution } from 'contract/jobs-gmp-distro.ts';

const nothingPaid = 'Saving distributes nothing; the next run uses these settings.';

export function GmpDistributionPage() {
  return (
    <JobPage job="gmp-distro" title="GMP Distribution" query={gmpDistributionQuery}>
      {(stored) => <GmpDistributionForm {...stored} />}
    </JobPage>
  );
}

function GmpDistributionForm({ settings, version, waiting }: Answer<typeof readGmpDistribution>) {
  const denied = useDisabledReason();
  const draft = useDraft({
    stored: draftOf(settings),
    version,
    waiting,
    read: readDraft,
    formatIssue,
    missing: formatMissing,
  });
  const saving = useSaving(saveGmpDistribution, {
    queryKey: gmpDistributionQuery.queryKey,
    onSaved: ({ version: saved, waiting: requested }) =>
      draft.saved(
        requested ? changeRequested : `GMP distribution saved as version ${saved}. ${nothingPaid}`,
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
            <GmpFields values={draft.values} edit={draft.edit} errorOf={draft.errorOf} denied={denied} />
            <EffectiveFrom draft={draft} otherwise="Leave empty to apply immediately." />
          </FormFields>
          <JobFoot label="Save Settings" saving={saving} message={draft.message} isOutdated={draft.isOutdated} />
        </form>
      </Card>
      <div className="form-side">
        <NextRun job="gmp-distro" unsaved={draft.unsaved} waiting={waiting} />
        <Card title="Next five runs">
          <NextRuns draft={draft.values} />
        </Card>
      </div>
    </div>
  );
}

import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { requestLimit, type Limit, type LimitKind } from 'contract/approvals.ts';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { readAmount, writeAmount } from 'contract/core/money.ts';
import { holds } from 'contract/core/permissions.ts';
import { useState } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { WaitingChange } from '#panel/domain/waiting-change.tsx';
import { Button } from '#panel/ui/button.tsx';
import { useEdits } from '#panel/ui/edits.ts';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { SaveNotices } from '#panel/ui/save-notices.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { limitsQuery, useRequestLimit } from './api.ts';

const failed = 'Failed to fetch the limits';

const names: Record<LimitKind, { label: string; meaning: string }> = {
  alone: {
    label: 'Daily limit per administrator',
    meaning: 'Per day, for everything: withdrawals, rewards, adjustments, runs and reversals.',
  },
  adjustment: { label: 'Adjustments', meaning: 'Per administrator and day, as part of the limit above.' },
  schedule: { label: 'Scheduled runs', meaning: 'Per run.' },
  collection: { label: 'Collected from a user', meaning: 'Per user and run. Set to 0 to collect nothing.' },
};

const isCollection = ({ kind }: Limit) => kind === 'collection';

export function LimitsView() {
  const query = useQuery(limitsQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  if (query.isLoadingError) return <LoadError title={failed} query={query} />;
  if (!query.data) return <SkeletonLines lines={8} label="Loading the limits" />;
  return (
    <div className="limits">
      <p className="limits-meaning">
        Anything above a limit needs a second approver. So do promotions, switching a schedule on, and changes to reward
        settings, plans, limits and approvers.
      </p>
      <LimitForms limits={query.data.limits.filter((limit) => !isCollection(limit))} />
      <h3 className="limits-heading">Users who owe money</h3>
      <p className="limits-meaning">
        A user who has spent a payment before it was reversed owes that amount. Runs can collect it from later payments.
      </p>
      <LimitForms limits={query.data.limits.filter(isCollection)} />
    </div>
  );
}

const LimitForms = ({ limits }: { limits: readonly Limit[] }) =>
  limits.map((limit) => <LimitForm key={`${limit.kind} ${limit.asset}`} limit={limit} />);

const { LimitConflict } = requestLimit.refusals[409];

function LimitForm({ limit: { kind, asset, limit, version, ...saved } }: { limit: Limit }) {
  const denied = holds(useMe(), 'admins.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const { values, edit, forget, isOutdated, versionToSave } = useEdits({ text: writeAmount(limit, asset) }, version);
  const [tried, setTried] = useState(false);
  const requesting = useRequestLimit({
    onRequested: () => {
      setTried(false);
      forget();
    },
  });
  const units = readAmount(values.text.trim(), asset);
  const fits = units !== undefined && units >= 0n;
  const submit = () => {
    setTried(true);
    if (!fits || requesting.isPending || denied) return;
    requesting.mutate({ body: { kind, asset, limit: units, version: versionToSave() } });
  };
  const { label, meaning } = names[kind];
  return (
    <form
      className="limit"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormFields saving={requesting.isPending}>
        <TextInput
          label={`${label} in ${asset}`}
          description={meaning}
          inputMode="decimal"
          value={values.text}
          error={tried && !fits ? `Enter an amount of ${asset}.` : undefined}
          disabled={denied !== undefined}
          rightSectionWidth={52}
          rightSection={<span className="form-unit">{asset}</span>}
          onChange={({ currentTarget }) => edit({ text: currentTarget.value })}
        />
      </FormFields>
      <div className="limit-foot">
        <SavedLine {...saved} version={version} />
        <Button
          type="submit"
          variant="default"
          loading={requesting.isPending}
          disabledReason={denied ?? disabledReason(units, limit)}
        >
          Request change
        </Button>
      </div>
      <WaitingChange waiting={saved.waiting} />
      <SaveNotices
        failure={requesting.error}
        isOutdated={isOutdated && !requesting.isPending}
        hasConflict={LimitConflict}
      />
    </form>
  );
}

const disabledReason = (units: bigint | undefined, limit: bigint) =>
  units === limit ? 'Nothing has changed yet.' : undefined;

type Saved = Pick<Limit, 'version' | 'savedBy' | 'approvedBy' | 'savedAt'>;

function SavedLine({ version, savedBy, approvedBy, savedAt }: Saved) {
  return (
    <span className="limit-saved">
      {savedBy === null ? (
        `Version ${version} (default)`
      ) : (
        <>
          Version {version}, by {savedBy} and {approvedBy} <Timestamp at={savedAt} />
        </>
      )}
    </span>
  );
}

import '@mantine/core/styles/NumberInput.layer.css';
import '@mantine/core/styles/Radio.layer.css';
import { NumberInput, Radio } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import type { WithdrawalMode } from 'contract/withdrawal-states.ts';
import {
  requestWithdrawalSettings,
  unknownAfterLimits,
  type WithdrawalSettings,
} from 'contract/withdrawals-settlement.ts';
import { WaitingChange } from '#panel/domain/waiting-change.tsx';
import { useMe } from '#panel/shell/me.ts';
import { Button } from '#panel/ui/button.tsx';
import { Card } from '#panel/ui/card.tsx';
import { useEdits } from '#panel/ui/edits.ts';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { SaveNotices } from '#panel/ui/save-notices.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { settingsQuery, useRequestSettings } from './api.ts';

const failed = 'Failed to fetch the sending settings';
const { SettingsConflict } = requestWithdrawalSettings.refusals[409];

/** Who sends approved withdrawals. */
export function SendingCard() {
  const query = useQuery(settingsQuery);
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  return (
    <Card title="Sending">
      {query.data ? (
        <SendingForm settings={query.data.settings} />
      ) : query.isLoadingError ? (
        <LoadError title={failed} query={query} />
      ) : (
        <SkeletonLines lines={4} label="Loading the sending settings" />
      )}
    </Card>
  );
}

const modes: { value: WithdrawalMode; label: string; description: string }[] = [
  {
    value: 'manual',
    label: 'Administrators send',
    description: 'They send each withdrawal elsewhere and record its transaction reference here.',
  },
  {
    value: 'platform',
    label: 'The platform sends',
    description: 'Bursar asks the platform to send each approved withdrawal, and the platform reports the outcome.',
  },
];

function SendingForm({ settings }: { settings: WithdrawalSettings }) {
  const denied = holds(useMe(), 'jobs.write') ? undefined : anyCallRefusals[403].PermissionDenied;
  const stored = { mode: settings.mode, hours: settings.unknownAfterHours as number | string };
  const { values, edit, forget, isOutdated, versionToSave } = useEdits(stored, settings.version);
  const requesting = useRequestSettings({ onRequested: forget });
  const { mode, hours } = values;
  const fits = typeof hours === 'number' && hours >= unknownAfterLimits.min && hours <= unknownAfterLimits.max;
  const isUnchanged = mode === stored.mode && hours === stored.hours;
  const submit = () => {
    if (!fits || isUnchanged || denied || requesting.isPending) return;
    requesting.mutate({ body: { mode, unknownAfterHours: hours, version: versionToSave() } });
  };
  return (
    <form
      className="sending"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormFields saving={requesting.isPending}>
        <Radio.Group label="Who sends approved withdrawals" value={mode} onChange={(value) => edit({ mode: value })}>
          {modes.map((choice) => (
            <Radio key={choice.value} {...choice} mt="xs" disabled={denied !== undefined} />
          ))}
        </Radio.Group>
        <NumberInput
          label="Mark as unknown after (hours)"
          description="Withdrawals without a confirmed outcome after this time are marked as unknown."
          {...unknownAfterLimits}
          allowDecimal={false}
          maw={240}
          value={hours}
          error={fits ? undefined : 'Enter 1 to 720 hours.'}
          disabled={denied !== undefined}
          onChange={(value) => edit({ hours: value })}
        />
      </FormFields>
      <div>
        <Button
          type="submit"
          variant="default"
          loading={requesting.isPending}
          disabledReason={denied ?? (isUnchanged ? 'Nothing has changed yet.' : undefined)}
        >
          Request change
        </Button>
      </div>
      <WaitingChange waiting={settings.waiting} />
      <SaveNotices
        failure={requesting.error}
        isOutdated={isOutdated && !requesting.isPending}
        hasConflict={SettingsConflict}
      />
    </form>
  );
}

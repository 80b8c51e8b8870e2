import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, TextInput, useMantineColorScheme } from '@mantine/core';
import { Email, FullName, type Settings, saveSettings, Theme } from 'contract/settings.ts';
import { type SubmitEvent, useState } from 'react';
import { Button } from '#panel/ui/button.tsx';
import { useEdits } from '#panel/ui/edits.ts';
import { FormFields } from '#panel/ui/form-fields.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { SaveNotices } from '#panel/ui/save-notices.tsx';
import { useSaveSettings } from './api.ts';

const hasConflict = saveSettings.refusals[409].SettingsConflict;

export function SettingsForm({ settings }: { settings: Settings }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { fullName, email, notifications, version } = settings;
  // The current theme, because the toggle in the sidebar may have changed it since the last save.
  const theme = colorScheme === 'dark' ? 'dark' : 'light';
  const { values, edit, forget, isOutdated, versionToSave } = useEdits({ fullName, email, notifications }, version);
  const [tried, setTried] = useState(false);
  const [saved, setSaved] = useState(false);
  const saving = useSaveSettings({
    onSaved: () => {
      setSaved(true);
      setTried(false);
      forget();
    },
  });
  const fits = { fullName: FullName.safeParse(values.fullName), email: Email.safeParse(values.email) };
  const change = (more: Partial<typeof values>) => {
    setSaved(false);
    edit(more);
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    setSaved(false);
    if (!fits.fullName.success || !fits.email.success || saving.isPending) return;
    saving.mutate({
      body: { ...values, fullName: fits.fullName.data, email: fits.email.data, theme, version: versionToSave() },
    });
  };
  return (
    <form className="form" noValidate onSubmit={submit}>
      <FormFields saving={saving.isPending}>
        <Identity values={values} fits={fits} tried={tried} change={change} />
        <NativeSelect
          label="Theme"
          data={Theme.options}
          value={theme}
          onChange={(event) => {
            setSaved(false);
            setColorScheme(Theme.parse(event.currentTarget.value));
          }}
        />
        <Checkbox
          label="Enable notifications"
          checked={values.notifications}
          onChange={(event) => change({ notifications: event.currentTarget.checked })}
        />
      </FormFields>
      <div className="form-foot">
        <Button type="submit" loading={saving.isPending}>
          Save Settings
        </Button>
      </div>
      {saved ? (
        <Notice tone="good">Settings updated successfully!</Notice>
      ) : (
        <SaveNotices failure={saving.error} isOutdated={isOutdated && !saving.isPending} hasConflict={hasConflict} />
      )}
    </form>
  );
}

type Identified = { fullName: string; email: string };
type IdentityProps = {
  values: Identified;
  fits: Record<keyof Identified, { success: boolean }>;
  tried: boolean;
  change: (more: Partial<Identified>) => void;
};

function Identity({ values, fits, tried, change }: IdentityProps) {
  return (
    <>
      <TextInput
        label="Full name"
        required
        autoComplete="name"
        maxLength={120}
        value={values.fullName}
        error={tried && !fits.fullName.success && 'Enter your full name.'}
        onChange={(event) => change({ fullName: event.currentTarget.value })}
      />
      <TextInput
        label="Email"
        type="email"
        required
        autoComplete="email"
        maxLength={254}
        value={values.email}
        error={tried && !fits.email.success && 'Enter an email address, such as ada@example.com.'}
        onChange={(event) => change({ email: event.currentTarget.value })}
      />
    </>
  );
}

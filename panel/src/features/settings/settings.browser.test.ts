import { readSettings, type Settings, saveSettings } from 'contract/settings.ts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { answerFrame, noSettings, visitSignedIn } from '#panel/testing/app.ts';
import { takeOverClock } from '#panel/testing/clock.ts';
import { button, expectNone, heading } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, fault, hold, refuse, restore } from '#panel/testing/server.ts';

const fullName = () => page.getByLabelText('Full name');
const email = () => page.getByLabelText('Email');
const theme = () => page.getByLabelText('Theme');
const notifications = () => page.getByRole('checkbox', { name: 'Enable notifications' });
const alert = () => page.getByRole('alert');
const save = () => button('Save Settings').click();
const saved = 'Settings updated successfully!';
const colorScheme = () => document.documentElement.dataset['mantineColorScheme'];

/** Answers like a server that stores one administrator's settings. */
function answerSettings(given: Partial<Settings> = {}) {
  const settings = { ...noSettings, ...given };
  answerFrame();
  answer(readSettings, () => ({ settings: { ...settings } }));
  answer(saveSettings, ({ body }) => {
    Object.assign(settings, body, { version: body.version + 1, updatedAt: new Date() });
    return { settings: { ...settings } };
  });
  return settings;
}

async function openSettings() {
  visitSignedIn('/dashboard/settings');
  await expect.element(heading('Settings')).toBeVisible();
  await expect.element(fullName()).toBeVisible();
}

async function fillIn() {
  await fullName().fill('Ines');
  await email().fill('ines@example.com');
}

for (const looks of ['light', 'dark'] as const) {
  test(`on the first visit with a ${looks} browser the form is empty and shows the theme of the browser`, async () => {
    localStorage.setItem('theme', looks);
    answerSettings();
    await openSettings();
    await expect.element(fullName()).toHaveValue('');
    await expect.element(email()).toHaveValue('');
    await expect.element(theme()).toHaveValue(looks);
    expect(
      theme()
        .getByRole('option')
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(['light', 'dark']);
    await expect.element(notifications()).not.toBeChecked();
    await expect.element(email()).toHaveAttribute('type', 'email');
    for (const field of [fullName(), email()]) await expect.element(field).toBeRequired();
  });
}

test('the fields are disabled while a save is in flight', async () => {
  answerSettings();
  await openSettings();
  await fullName().fill('Typed in time');
  await email().fill('in.time@example.com');
  const release = hold(saveSettings);
  await userEvent.keyboard('{Enter}');
  for (const field of [fullName(), email(), theme(), notifications()]) await expect.element(field).toBeDisabled();
  await userEvent.keyboard('too late');
  release();
  await expect.element(alert()).toHaveTextContent(saved);
  await expect.element(email()).toHaveFocus();
  await expect.element(email()).toHaveValue('in.time@example.com');
});

test('the alert disappears as soon as something is changed again', async () => {
  answerSettings();
  await openSettings();
  await fillIn();
  await save();
  await expect.element(alert()).toHaveTextContent(saved);
  await fullName().fill('Ines M');
  await expectNone(alert());
});

test('choosing a theme applies it immediately and stores it under the key theme', async () => {
  const settings = answerSettings();
  await openSettings();
  await fillIn();
  await theme().selectOptions('dark');
  await expect.poll(colorScheme).toBe('dark');
  expect(localStorage.getItem('theme')).toBe('dark');
  await save();
  await expect.element(alert()).toHaveTextContent(saved);
  expect(settings.theme).toBe('dark');
  await openSettings();
  await expect.element(theme()).toHaveValue('dark');
});

test('a browser without a stored theme uses the saved one', async () => {
  answerSettings({ fullName: 'Ines', email: 'ines@example.com', theme: 'dark', version: 1, updatedAt: new Date() });
  visitSignedIn('/dashboard/settings', { theme: null });
  await expect.poll(colorScheme).toBe('dark');
  expect(localStorage.getItem('theme')).toBe('dark');
  await expect.element(theme()).toHaveValue('dark');
});

test('a full name and a valid email are required, and nothing is sent without them', async () => {
  answerSettings();
  await openSettings();
  await fullName().fill('  ');
  await email().fill('');
  await save();
  await expect.element(page.getByText('Enter your full name.')).toBeVisible();
  await expect.element(page.getByText('Enter an email address, such as ada@example.com.')).toBeVisible();
  await fullName().fill('Ines');
  await email().fill('ines at example');
  await save();
  await expectNone(page.getByText('Enter your full name.'));
  await expect.element(email()).toHaveAttribute('aria-invalid', 'true');
  await expectNone(alert());
  expect(callsTo(saveSettings)).toEqual([]);
});

test('a conflict with another window is reported in place, and a save after reading it overwrites', async () => {
  const text = 'These settings were saved in another window. Check the new values and save again.';
  const settings = answerSettings();
  await openSettings();
  await fullName().fill('Typed Here');
  const clock = takeOverClock();
  clock.stop();
  Object.assign(settings, { fullName: 'Saved There', email: 'there@example.com', version: 1, updatedAt: new Date() });
  emit('settings');
  await expect.element(alert()).toHaveTextContent(text);
  await expect.element(fullName()).toHaveValue('Typed Here');
  await expect.element(email()).toHaveValue('there@example.com');
  // A save before the notice can be read sends the old version, which the server refuses.
  refuse(saveSettings, 'SettingsConflict');
  await save();
  await expect.poll(() => callsTo(saveSettings).map(({ body }) => body.version)).toEqual([0]);
  await expect.element(alert()).toHaveTextContent(text);
  restore(saveSettings);
  clock.pass(1_000);
  await save();
  await expect.element(alert()).toHaveTextContent(saved);
  expect(callsTo(saveSettings).map(({ body }) => body.version)).toEqual([0, 1]);
  expect(settings.fullName).toBe('Typed Here');
});

test('a server error is reported in place with its reference, and the input is kept', async () => {
  answerSettings();
  await openSettings();
  fault(saveSettings);
  await fullName().fill('Still here');
  await email().fill('ines@example.com');
  await save();
  await expect.element(alert()).toMatchTextContent('Something went wrong on our side.');
  await expect.element(alert()).toMatchTextContent('Reference');
  await expect.element(fullName()).toHaveValue('Still here');
});

test('the settings page is accessible when empty, invalid and saved', async () => {
  answerSettings();
  await openSettings();
  await expectAccessible();
  await save();
  await expect.element(page.getByText('Enter your full name.')).toBeVisible();
  await expectAccessible();
  await fillIn();
  await save();
  await expect.element(alert()).toHaveTextContent(saved);
  await expectAccessible();
});

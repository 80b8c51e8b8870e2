import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { answerFault, callApi, countCalls, heading, holdSending, stopClock } from './pieces.ts';
import { inGateOnce, onceOnly } from './tags.ts';

const fullName = (page: Page) => page.getByLabel('Full name');
const email = (page: Page) => page.getByLabel('Email');
const theme = (page: Page) => page.getByLabel('Theme');
const notifications = (page: Page) => page.getByRole('checkbox', { name: 'Enable notifications' });
const save = (page: Page) => page.getByRole('button', { name: 'Save Settings' }).click();
const alert = (page: Page) => page.getByRole('alert');

async function openSettings(page: Page) {
  await page.goto('/dashboard/settings');
  await expect(heading(page, 'Settings')).toBeVisible();
  await expect(fullName(page)).toBeVisible();
}

async function saveByCall(page: Page, change: object) {
  const { json } = await callApi(page, 'GET', { path: '/api/settings' });
  const { updatedAt: _updatedAt, ...stored } = (json as { settings: Record<string, unknown> }).settings;
  const body = { ...stored, fullName: 'Somebody', email: 'somebody@example.com', ...change };
  expect((await callApi(page, 'POST', { path: '/api/settings', body })).status).toBe(200);
}

test('at the first visit the form is empty with the theme of the browser', async ({ visit, theme: looks }) => {
  const page = await visit({ as: 'lucia.brandt' });
  await openSettings(page);
  await expect(fullName(page)).toHaveValue('');
  await expect(email(page)).toHaveValue('');
  await expect(theme(page)).toHaveValue(looks);
  await expect(theme(page).getByRole('option')).toHaveText(['light', 'dark']);
  await expect(notifications(page)).not.toBeChecked();
  await expect(email(page)).toHaveAttribute('type', 'email');
  for (const field of [fullName(page), email(page)]) await expect(field).toHaveAttribute('required', '');
});

test('while a save travels nothing is typed that its answer would throw away', onceOnly, async ({ page }) => {
  await openSettings(page);
  await fullName(page).fill('Typed in time');
  await email(page).fill('in.time@example.com');
  const letGo = await holdSending(page, '/api/settings');
  await email(page).press('Enter');
  for (const field of [fullName(page), email(page), theme(page), notifications(page)]) {
    await expect(field).toBeDisabled();
  }
  await page.keyboard.type('too late');
  letGo();
  await expect(alert(page)).toHaveText('Settings updated successfully!');
  await expect(email(page)).toBeFocused();
  await expect(email(page)).toHaveValue('in.time@example.com');
});

test(
  'what is saved shows the alert and is there after a reload and in another browser',
  inGateOnce,
  async ({ page, visit }) => {
    await openSettings(page);
    await fullName(page).fill('  Inès Moreau ');
    await email(page).fill('ines@example.com');
    await notifications(page).check();
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await save(page);
    expect(Object.keys((await sent).postDataJSON() as object).toSorted()).toEqual(
      ['email', 'fullName', 'notifications', 'theme', 'version'].toSorted(),
    );
    await expect(alert(page)).toHaveText('Settings updated successfully!');
    await expect(page.getByText('Your own; saved just now')).toBeVisible();
    const elsewhere = await visit({ server: 'second' });
    await page.reload();
    await openSettings(elsewhere);
    for (const one of [page, elsewhere]) {
      await expect(fullName(one)).toHaveValue('Inès Moreau');
      await expect(email(one)).toHaveValue('ines@example.com');
      await expect(notifications(one)).toBeChecked();
    }
    const colleague = await visit({ as: 'lucia.brandt' });
    await openSettings(colleague);
    await expect(fullName(colleague)).toHaveValue('');
  },
);

test('the alert goes as soon as something is changed again', onceOnly, async ({ page }) => {
  await openSettings(page);
  await fullName(page).fill('Ines');
  await email(page).fill('ines@example.com');
  await save(page);
  await expect(alert(page)).toHaveText('Settings updated successfully!');
  await fullName(page).fill('Ines M');
  await expect(alert(page)).toHaveCount(0);
});

test('choosing a theme applies it at once and keeps it under the key theme', async ({ page, theme: looks }) => {
  const other = looks === 'dark' ? 'light' : 'dark';
  await openSettings(page);
  await fullName(page).fill('Ines');
  await email(page).fill('ines@example.com');
  await theme(page).selectOption(other);
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', other);
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe(other);
  await save(page);
  await expect(alert(page)).toHaveText('Settings updated successfully!');
  await page.reload();
  await expect(theme(page)).toHaveValue(other);
  const { json } = await callApi(page, 'GET', { path: '/api/settings' });
  expect(json).toMatchObject({ settings: { theme: other } });
});

test('a browser in which no theme was chosen takes the saved one', onceOnly, async ({ visit }) => {
  const page = await visit({ as: 'kenji.sato' });
  await page.goto('/dashboard/settings');
  await saveByCall(page, { theme: 'dark' });
  await page.context().addInitScript(() => {
    if (sessionStorage.getItem('cleared') === null) localStorage.removeItem('theme');
    sessionStorage.setItem('cleared', 'yes');
  });
  await page.goto('/dashboard');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark');
});

test(
  'full name and email are required, an email is one, and nothing is sent without them',
  onceOnly,
  async ({ page }) => {
    await openSettings(page);
    const calls = countCalls(page, '/api/settings', 'POST');
    await fullName(page).fill('  ');
    await email(page).fill('');
    await save(page);
    await expect(page.getByText('Enter your full name.')).toBeVisible();
    await expect(page.getByText('Enter an email address, such as ada@example.com.')).toBeVisible();
    await fullName(page).fill('Ines');
    await email(page).fill('ines at example');
    await save(page);
    await expect(page.getByText('Enter your full name.')).toHaveCount(0);
    await expect(email(page)).toHaveAttribute('aria-invalid', 'true');
    await expect(alert(page)).toHaveCount(0);
    expect(calls()).toBe(0);
  },
);

test(
  'what another window saved meanwhile is told in place, shown, and then can be saved over',
  onceOnly,
  async ({ page, visit, watch }) => {
    const other = await visit({ server: 'second' });
    const stream = page.waitForResponse('**/api/events');
    await openSettings(page);
    await openSettings(other);
    await stream;
    await fullName(page).fill('Typed Here');
    const { letReadingTimePass } = await stopClock(page);
    await saveByCall(other, { fullName: 'Saved There', email: 'there@example.com' });
    const words = 'These settings were saved in another window. Check the new values and save again.';
    await expect(alert(page)).toHaveText(words, { timeout: 1_000 });
    await expect(fullName(page)).toHaveValue('Typed Here');
    await expect(email(page)).toHaveValue('there@example.com');
    watch.expectFailureOf('/api/settings');
    const refused = page.waitForResponse((response) => response.request().method() === 'POST');
    await save(page);
    expect((await refused).status()).toBe(409);
    await expect(alert(page)).toHaveText(words);
    await expect(fullName(other)).toHaveValue('Saved There');
    await letReadingTimePass();
    await save(page);
    await expect(alert(page)).toHaveText('Settings updated successfully!');
    await expect(fullName(other)).toHaveValue('Typed Here', { timeout: 1_000 });
  },
);

test('a fault is told in place with its reference, and what was typed stays', onceOnly, async ({ page, watch }) => {
  watch.expectFailureOf('/api/settings');
  await openSettings(page);
  await page.route('**/api/settings', (route) =>
    route.request().method() === 'POST' ? answerFault(route) : route.fallback(),
  );
  await fullName(page).fill('Still here');
  await email(page).fill('ines@example.com');
  await save(page);
  await expect(alert(page)).toContainText('Something went wrong on our side.');
  await expect(alert(page)).toContainText('Reference');
  await expect(fullName(page)).toHaveValue('Still here');
});

test('the settings are accessible, empty, wrong and saved', async ({ page }) => {
  await openSettings(page);
  await expectAccessible(page);
  await fullName(page).fill('');
  await save(page);
  await expect(page.getByText('Enter your full name.')).toBeVisible();
  await expectAccessible(page);
  await fullName(page).fill('Ines Moreau');
  await email(page).fill('ines@example.com');
  await save(page);
  await expect(alert(page)).toHaveText('Settings updated successfully!');
  await expectAccessible(page);
});

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { heading } from './page-helpers.ts';
import { onceOnly } from './tags.ts';

const fullName = (page: Page) => page.getByLabel('Full name');
const email = (page: Page) => page.getByLabel('Email');
const notifications = (page: Page) => page.getByRole('checkbox', { name: 'Enable notifications' });
const save = (page: Page) => page.getByRole('button', { name: 'Save Settings' }).click();
const alert = (page: Page) => page.getByRole('alert');

async function openSettings(page: Page) {
  await page.goto('/dashboard/settings');
  await expect(heading(page, 'Settings')).toBeVisible();
  await expect(fullName(page)).toBeVisible();
}

test(
  'saved settings show the alert and are there after a reload and in another browser',
  onceOnly,
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

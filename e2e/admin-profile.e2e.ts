import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { addAdmin, approveNewest, callApi, freshName, heading, stopClock, toast } from './page-helpers.ts';
import { inGate, onceOnly } from './tags.ts';

const fact = (page: Page, label: string) => page.locator('dt', { hasText: label }).locator('+ dd');
const fields = (page: Page) => ({
  newUsername: page.getByLabel('New username'),
  role: page.getByLabel('Role'),
  edit: page.getByRole('button', { name: 'Edit', exact: true }),
  save: page.getByRole('button', { name: 'Save', exact: true }),
});

async function openNewcomer(page: Page) {
  await page.goto('/dashboard');
  const username = freshName('profile');
  const id = await addAdmin(page, { username });
  return { id, username, address: `/dashboard/admin-profile/${id}` };
}

test('View Profile opens the administrator of its row, and so does the URL alone', async ({ page }) => {
  const { username, address, id } = await openNewcomer(page);
  await page.goto('/dashboard/admin');
  await page.getByRole('row').filter({ hasText: username }).getByRole('link', { name: 'View Profile' }).click();
  await expect(page).toHaveURL(address);
  await expect(heading(page, 'Admin Profile')).toBeVisible();
  await expect(fact(page, 'Username')).toHaveText(username);
  await page.reload();
  await expect(fact(page, 'Username')).toHaveText(username);
  await expect(fact(page, 'ID').getByRole('button')).toHaveAttribute('title', id);
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page).toHaveURL('/dashboard/admin');
});

test('new username and role are enabled only in edit mode', async ({ page }) => {
  const { address } = await openNewcomer(page);
  await page.goto(address);
  const { newUsername, role, edit, save } = fields(page);
  await expect(newUsername).toBeDisabled();
  await expect(role).toBeDisabled();
  await expect(save).toHaveAttribute('aria-disabled', 'true');
  await expect(role.locator('option')).toHaveText(['Admin', 'Super Admin']);
  await edit.click();
  await expect(newUsername).toBeEnabled();
  await expect(role).toBeEnabled();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(newUsername).toBeDisabled();
});

test('Save stores the username, the role and the permission set', inGate, async ({ page, visit }) => {
  const { address } = await openNewcomer(page);
  await page.goto(address);
  const { newUsername, role, edit, save } = fields(page);
  await edit.click();
  const renamed = freshName('renamed');
  await newUsername.fill(renamed);
  await page.getByLabel('Permission set').selectOption('Support');
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await save.click();
  expect((await sent).postDataJSON()).toEqual({ version: 1, newUsername: renamed, permissionSet: 'Support' });
  await expect(fact(page, 'Username')).toHaveText(renamed);
  await expect(edit).toBeVisible();
  await expect(newUsername).toBeDisabled();
  await page.reload();
  await expect(fact(page, 'Username')).toHaveText(renamed);
  await expect(page.getByLabel('Permission set')).toHaveValue('Support');

  await edit.click();
  await role.selectOption({ label: 'Super Admin' });
  await save.click();
  // The fields are also disabled while saving.
  await expect(edit).toBeVisible();
  await expect(role).toHaveValue('Admin');
  await expect(page.getByRole('main').getByRole('alert')).toContainText('A change requested by ines.moreau');
  const colleague = await visit({ as: 'admin' });
  await colleague.goto('/dashboard/approvals');
  await approveNewest(colleague, 'grant');
  await page.reload();
  await expect(role).toHaveValue('SuperAdmin');
  await expect(page.getByLabel('Permission set')).toHaveCount(0);
});

test(
  'a conflict with another administrator’s change is shown in place and overwrites nothing',
  onceOnly,
  async ({ freshPage: page, visit, watch }) => {
    const { address, id } = await openNewcomer(page);
    const stream = page.waitForResponse('**/api/events');
    await page.goto(address);
    await stream;
    const { role, edit, save } = fields(page);
    await edit.click();
    await role.selectOption({ label: 'Super Admin' });
    const colleague = await visit({ server: 'second' });
    await colleague.goto('/dashboard');
    const { letReadingTimePass } = await stopClock(page);
    const path = `/api/admin/${id}`;
    const body = { version: 1, permissionSet: 'Support' };
    expect((await callApi(colleague, 'PATCH', { path, body })).status).toBe(200);
    await expect(page.getByRole('alert')).toHaveText(
      'Someone else has just changed this administrator. Check the new values and save again.',
    );
    watch.expectFailureOf(path);
    const refused = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await save.click();
    expect((await refused).status()).toBe(409);
    const kept = (await callApi(page, 'GET', { path })).json;
    expect(kept).toMatchObject({ admin: { version: 2, role: 'Admin', permissionSet: 'Support' } });
    await expect(role).toHaveValue('SuperAdmin');
    await letReadingTimePass();
    await save.click();
    await expect(toast(page, 'The change is waiting for a second approver')).toBeVisible();
  },
);

test('a taken username is reported at its field', onceOnly, async ({ page, watch }) => {
  const { address, id } = await openNewcomer(page);
  await page.goto(address);
  watch.expectFailureOf(`/api/admin/${id}`);
  const { newUsername, edit, save } = fields(page);
  await edit.click();
  await newUsername.fill('admin');
  await save.click();
  await expect(page.getByText('That username is already taken.')).toBeVisible();
  await expect(newUsername).toHaveAttribute('aria-invalid', 'true');
});

test('the URL of an unknown administrator shows No admin data found. and Back leads to the list', async ({
  page,
  watch,
}) => {
  const nobody = '00000000-0000-4000-8000-000000000000';
  watch.expectFailureOf(`/api/admin/${nobody}`);
  for (const id of ['nobody', nobody]) {
    await page.goto(`/dashboard/admin-profile/${id}`);
    await expect(page.getByText('No admin data found.', { exact: true })).toBeVisible();
  }
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page).toHaveURL('/dashboard/admin');
  await expect(heading(page, 'Admin Panel')).toBeVisible();
});

test('an Admin who is not a SuperAdmin can read a profile but not edit it', onceOnly, async ({ visit, page }) => {
  const { address } = await openNewcomer(page);
  const reader = await visit({ as: 'tomasz.lind' });
  await reader.goto(address);
  await expect(fields(reader).edit).toHaveAttribute('aria-disabled', 'true');
  await fields(reader).edit.click({ force: true });
  await expect(fields(reader).newUsername).toBeDisabled();
});

test('Delete is not offered for an administrator who has become a SuperAdmin', onceOnly, async ({ page, visit }) => {
  const { id } = await openNewcomer(page);
  const body = { version: 1, role: 'SuperAdmin' };
  expect((await callApi(page, 'PATCH', { path: `/api/admin/${id}`, body })).status).toBe(200);
  const colleague = await visit({ as: 'admin' });
  await colleague.goto('/dashboard/approvals');
  await approveNewest(colleague, 'grant');
  await page.goto('/dashboard/admin');
  const row = page.getByRole('row').filter({ has: page.locator(`a[href="/dashboard/admin-profile/${id}"]`) });
  await expect(row).toBeVisible();
  await expect(row.getByRole('button', { name: 'Delete' })).toHaveCount(0);
});

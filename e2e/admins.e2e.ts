import type { Page } from '@playwright/test';
import { expect, fillLogin, test } from './fixtures.ts';
import {
  addAdmin,
  callApi,
  freshName,
  heading,
  isPhone,
  openSidebar,
  temporaryPassword,
  toast,
} from './page-helpers.ts';
import { addApprover } from './owner.ts';
import { inGate, inGateOnce, onceOnly } from './tags.ts';

const rowOf = (page: Page, username: string) => page.getByRole('row').filter({ hasText: username });

async function openAdmins(page: Page) {
  await page.goto('/dashboard/admin');
  await expect(rowOf(page, 'tomasz.lind')).toBeVisible();
}

async function fillNewAdmin(page: Page, given: { username: string; password: string; confirm: string }) {
  await page.getByRole('button', { name: 'Add New Admin' }).click();
  const modal = page.getByRole('dialog');
  await expect(modal.getByText('Add New Admin')).toBeVisible();
  await modal.getByLabel('Username').fill(given.username);
  await modal.getByLabel(/^Password/).fill(given.password);
  await modal.getByLabel('Confirm Password').fill(given.confirm);
  return modal;
}

test('the administrators are loaded from the server and shown with the specified columns', async ({ page }) => {
  const answered = page.waitForResponse('**/api/admin/all');
  await openAdmins(page);
  const { admins } = (await (await answered).json()) as { admins: { id: string; username: string }[] };
  expect(admins.map(({ username }) => username)).toContain('admin');
  await expect(heading(page, 'Admin Panel')).toBeVisible();
  if (isPhone(page)) return;
  await expect(page.getByRole('columnheader')).toHaveText(['ID', 'Username', 'Role', 'Created At', 'Actions']);
  const cells = rowOf(page, 'tomasz.lind').getByRole('cell');
  await expect(cells.nth(1)).toHaveText('tomasz.lind');
  await expect(cells.nth(2)).toHaveText('Admin');
  await expect(rowOf(page, 'ines.moreau').getByRole('cell').nth(2)).toHaveText('Super Admin');
});

test('an administrator is added, with the role Admin by default, and appears in the list', inGate, async ({ page }) => {
  await openAdmins(page);
  const username = freshName('added');
  const modal = await fillNewAdmin(page, { username, password: temporaryPassword, confirm: temporaryPassword });
  await expect(modal.getByLabel('Role')).toHaveValue('Admin');
  await expect(modal.getByLabel('Role').locator('option')).toHaveText(['Admin', 'Super Admin']);
  await expect(modal.getByRole('option', { name: 'Super Admin' })).toHaveAttribute('value', 'SuperAdmin');
  const sent = page.waitForRequest('**/api/admin/signup');
  await modal.getByRole('button', { name: 'Add Admin' }).click();
  const expected = { username, password: temporaryPassword, confirmPassword: temporaryPassword, role: 'Admin' };
  expect((await sent).postDataJSON()).toEqual(expected);
  await expect(toast(page, 'Admin added successfully')).toBeVisible();
  await expect(modal).toHaveCount(0);
  await expect(rowOf(page, username)).toBeVisible();
  await expect(page.getByRole('row').last()).toContainText(username);
});

test('an administrator is deleted after the specified confirmation', inGate, async ({ page }) => {
  await page.goto('/dashboard');
  const username = freshName('leaver');
  await addAdmin(page, { username });
  await openAdmins(page);
  await rowOf(page, username).getByRole('button', { name: 'Delete' }).click();
  const modal = page.getByRole('dialog');
  await expect(modal.getByText('Confirm Deletion')).toBeVisible();
  await expect(modal.getByText(`Are you sure you want to delete ${username}?`, { exact: true })).toBeVisible();
  const sent = page.waitForRequest('**/api/admin/delete');
  await modal.getByRole('button', { name: 'Delete' }).click();
  expect((await sent).postDataJSON()).toEqual({ username });
  await expect(toast(page, 'Admin deleted successfully')).toBeVisible();
  await expect(modal).toHaveCount(0);
  await expect(rowOf(page, username)).toHaveCount(0);
});

test(
  'the deletion of an administrator who can approve waits for another Super Admin',
  onceOnly,
  async ({ page, visit, environment }) => {
    const username = freshName('approver');
    await addApprover(environment, username);
    await openAdmins(page);
    await rowOf(page, username).getByRole('button', { name: 'Delete' }).click();
    const modal = page.getByRole('dialog');
    await expect(modal).toContainText('another Super Admin must approve the deletion first.');
    await modal.getByRole('button', { name: 'Delete' }).click();
    await expect(toast(page, 'The deletion is waiting for a second approver')).toBeVisible();
    await expect(rowOf(page, username)).toBeVisible();
    await rowOf(page, username).getByRole('link', { name: 'View Profile' }).click();
    await page.getByRole('main').getByRole('alert').getByRole('link', { name: 'View request' }).click();
    const request = page.getByRole('dialog', { name: 'Request' });
    await expect(request).toContainText('Admin → Deleted');
    const address = new URL(page.url());

    const finance = await visit({ as: 'kenji.sato' });
    await finance.goto(address.pathname + address.search);
    await expect(finance.getByRole('button', { name: 'Approve' })).toHaveAccessibleDescription(
      'Your permissions do not cover this kind of request, so another administrator must decide.',
    );
    const superAdmin = await visit({ as: 'admin', server: 'second' });
    await superAdmin.goto(address.pathname + address.search);
    await superAdmin.getByRole('button', { name: 'Approve' }).click();
    await expect(request.getByText('Approved')).toBeVisible();
    await openAdmins(page);
    await expect(rowOf(page, username)).toHaveCount(0);
  },
);

test(
  'every administrator sees a new account on Home until an approver confirms it',
  onceOnly,
  async ({ page, visit }) => {
    await page.goto('/dashboard');
    const username = freshName('newcomer');
    await addAdmin(page, { username });
    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto('/dashboard');
    const notice = colleague.getByRole('link', { name: `${username} was given the right to approve by ines.moreau.` });
    await expect(notice).toContainText(
      /It takes effect on \d+ \w+ \d{4}, \d\d:\d\d UTC unless an approver denies it\.$/,
    );
    await notice.click();
    const request = colleague.getByRole('dialog', { name: 'Request' });
    await expect(request).toContainText('Change to confirmNew account');
    await expect(request).toContainText('ines.moreau (requested it)');
    await expect(request).toContainText(`${username} (own account)`);
    await request.getByRole('button', { name: 'Approve' }).click();
    await expect(toast(colleague, 'Approved')).toBeVisible();
    await colleague.goto('/dashboard');
    await expect(heading(colleague, 'Analytics')).toBeVisible();
    await expect(notice).toHaveCount(0);
  },
);

test(
  'the open browser of a deleted administrator is signed out with the next call',
  inGateOnce,
  async ({ page, visitor, watch }) => {
    watch.toleratesFailureOf('/api/');
    await page.goto('/dashboard');
    const username = freshName('dismissed');
    await addAdmin(page, { username });
    const own = 'seven copper kettles';
    await visitor.goto('/login');
    await fillLogin(visitor, { username, password: temporaryPassword });
    await visitor.getByLabel('Current password').fill(temporaryPassword);
    await visitor.getByLabel('New password', { exact: true }).fill(own);
    await visitor.getByLabel('Repeat new password').fill(own);
    await visitor.getByRole('button', { name: 'Save password' }).click();
    await expect(heading(visitor, 'Analytics')).toBeVisible();

    const { status } = await callApi(page, 'POST', { path: '/api/admin/delete', body: { username } });
    expect(status).toBe(200);
    if (new URL(visitor.url()).pathname !== '/login') {
      const sidebar = await openSidebar(visitor).catch(() => undefined);
      await sidebar
        ?.getByRole('link', { name: 'Ticketing' })
        .click({ timeout: 2_000 })
        .catch(() => undefined);
    }
    await expect(heading(visitor, 'Login')).toBeVisible();
    expect(await visitor.evaluate(() => localStorage.getItem('token'))).toBeNull();
  },
);

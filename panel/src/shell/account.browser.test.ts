import { readAdmin } from 'contract/admins.ts';
import { listRecoveries } from 'contract/admins-recovery.ts';
import { changePassword, logout } from 'contract/auth.ts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminRow } from '#panel/testing/admin-answers.ts';
import { visitSignedIn } from '#panel/testing/app.ts';
import { button, expectNone, heading, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, refuse } from '#panel/testing/server.ts';
import { answerTickets, ticket } from '#panel/testing/ticket-answers.ts';

const list = '/dashboard/tickets?status=open';
const account = () => page.getByRole('banner').getByRole('button', { name: 'Signed in as ines.moreau' });
const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
const address = () => window.location.pathname + window.location.search;

async function openMenu() {
  answerTickets([ticket()]);
  visitSignedIn(list);
  await account().click();
  await expect.element(item('Your profile')).toBeVisible();
}

async function openPasswordForm() {
  await openMenu();
  await item('Change password').click();
  await expect.element(heading('Choose a new password')).toBeVisible();
}

async function fill(given: { current: string; own: string; repeated: string }) {
  await page.getByLabelText('Current password').fill(given.current);
  await page.getByLabelText('New password', { exact: true }).fill(given.own);
  await page.getByLabelText('Repeat new password').fill(given.repeated);
  await button('Save password').click();
}

test('the account button opens a menu with profile, password, theme and logout', async () => {
  await openMenu();
  const names = page.getByRole('menuitem').elements();
  expect(names.map(({ textContent }) => textContent)).toEqual([
    'Your profile',
    'Change password',
    'Dark mode',
    'Logout',
  ]);
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expectNone(page.getByRole('menuitem'));
  await expect.element(account()).toHaveFocus();
});

test('Your profile opens the profile of the signed-in administrator', async () => {
  await openMenu();
  answer(listRecoveries, { recoveries: [] });
  answer(readAdmin, ({ params: { id } }) => ({ admin: adminRow({ id, username: 'ines.moreau' }), waiting: null }));
  await item('Your profile').click();
  await expect.element(heading('Admin Profile')).toBeVisible();
  await expect.element(page.getByText('ines.moreau, Admin')).toBeVisible();
  expect(callsTo(readAdmin)[0]).toEqual({ params: { id: '0198c0de-0000-7000-8000-000000000001' } });
});

test('the theme switch in the menu and the one in the sidebar have the same effect', async () => {
  await openMenu();
  await item('Dark mode').click();
  await expect.poll(() => localStorage.getItem('theme')).toBe('dark');
  await expect.element(button('Light mode')).toBeVisible();
});

test('Logout in the menu ends the session', async () => {
  await openMenu();
  answer(logout, {});
  await item('Logout').click();
  await expect.element(heading('Login')).toBeVisible();
  expect(localStorage.getItem('token')).toBeNull();
});

test('changing the password returns to the previous page with a new session', async () => {
  await openPasswordForm();
  await expectAccessible();
  answer(changePassword, { token: 'a newer token' });
  await fill({ current: 'the old one', own: 'seven copper kettles', repeated: 'seven copper kettles' });
  await expect.element(toast('Password changed')).toBeVisible();
  await expect.element(heading('Support Tickets')).toBeVisible();
  expect(address()).toBe(list);
  expect(localStorage.getItem('token')).toBe('a newer token');
  const body = { currentPassword: 'the old one', newPassword: 'seven copper kettles' };
  expect(callsTo(changePassword)).toEqual([{ body }]);
});

test('the current password can be kept', async () => {
  await openPasswordForm();
  await button('Keep the current password').click();
  await expect.element(heading('Support Tickets')).toBeVisible();
  expect(address()).toBe(list);
});

test('empty fields show what is missing, and nothing is sent', async () => {
  await openPasswordForm();
  answer(changePassword, { token: 'a newer token' });
  await button('Save password').click();
  for (const message of ['Enter your current password.', 'Enter a new password.', 'Enter the new password again.']) {
    await expect.element(page.getByText(message, { exact: true })).toBeVisible();
  }
  expect(callsTo(changePassword)).toEqual([]);
});

test('a wrong current password is reported at its field', async () => {
  await openPasswordForm();
  refuse(changePassword, 'CurrentPasswordWrong');
  await fill({ current: 'not it', own: 'seven copper kettles', repeated: 'seven copper kettles' });
  await expect.element(page.getByText('The current password is incorrect.')).toBeVisible();
});

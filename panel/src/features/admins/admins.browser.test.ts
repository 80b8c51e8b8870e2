import { createAdmin, deleteAdmin, listAdmins, readAdmin } from 'contract/admins.ts';
import { streamEvents } from 'contract/events.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminRow, answerAdmins } from '#panel/testing/admin-answers.ts';
import { type Admin, adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { button, dialog, expectDisabledBecause, expectNone, main, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, cutOff, fault, hold, refuse, restore } from '#panel/testing/server.ts';

const rowOf = (username: string) => page.getByRole('row').filter({ hasText: username });
const password = 'quiet orchard lantern';

async function openAdmins(as?: Admin) {
  answerAdmins([adminRow({ username: 'ines.moreau', role: 'SuperAdmin' }), adminRow({ username: 'tomasz.lind' })], as);
  answer(createAdmin, ({ body: { username, role } }) => ({ admin: adminRow({ username, role }), waiting: null }));
  answer(deleteAdmin, ({ body: { username } }) => ({ admin: adminRow({ username }), waiting: null }));
  visitSignedIn('/dashboard/admin');
  await expect.element(rowOf('tomasz.lind')).toBeVisible();
}

async function fillNewAdmin(given: { username: string; password: string; confirm: string }) {
  await button('Add New Admin').click();
  await dialog().getByLabelText('Username').fill(given.username);
  await dialog()
    .getByLabelText(/^Password/)
    .fill(given.password);
  await dialog().getByLabelText('Confirm Password').fill(given.confirm);
  await button('Add Admin').click();
}

test('passwords that differ are reported in a toast and nothing is sent', async () => {
  await openAdmins();
  await fillNewAdmin({ username: 'someone', password, confirm: 'another one' });
  await expect.element(toast("Passwords don't match")).toBeVisible();
  await expect.element(dialog()).toBeVisible();
  expect(callsTo(createAdmin)).toEqual([]);
});

test('username, password and its confirmation are required and nothing is sent without them', async () => {
  await openAdmins();
  await fillNewAdmin({ username: '', password: '', confirm: '' });
  for (const text of ['Enter a username.', 'Enter a password.', 'Enter the password again.']) {
    await expect.element(dialog().getByText(text)).toBeVisible();
  }
  expect(callsTo(createAdmin)).toEqual([]);
  await expectAccessible();
});

test('a taken username is reported with the error text of the server', async () => {
  await openAdmins();
  refuse(createAdmin, 'UsernameTaken');
  await fillNewAdmin({ username: 'TOMASZ.lind', password, confirm: password });
  await expect.element(toast('That username is already taken.')).toBeVisible();
  await expectNone(toast('Failed to create admin'));
  await expect.element(dialog()).toBeVisible();
});

test('a create request without a response is reported as Failed to create admin', async () => {
  await openAdmins();
  cutOff(createAdmin);
  await fillNewAdmin({ username: 'somebody', password, confirm: password });
  await expect.element(toast('Failed to create admin')).toBeVisible();
});

test('Delete is hidden for a SuperAdmin and shown for an Admin', async () => {
  await openAdmins();
  await expect.element(rowOf('ines.moreau').getByRole('link', { name: 'View Profile' })).toBeVisible();
  await expectNone(rowOf('ines.moreau').getByRole('button', { name: 'Delete' }));
  await expect.element(rowOf('tomasz.lind').getByRole('button', { name: 'Delete' })).toBeVisible();
});

test('a canceled deletion sends no request', async () => {
  await openAdmins();
  await rowOf('tomasz.lind').getByRole('button', { name: 'Delete' }).click();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await expectNone(dialog());
  await expect.element(rowOf('tomasz.lind')).toBeVisible();
  expect(callsTo(deleteAdmin)).toEqual([]);
});

test('the deletion of an approver waits for a second approver, and the row stays', async () => {
  await openAdmins();
  const waiting = { approval: freshId(), facts: [], requestedBy: 'ines.moreau' };
  answer(deleteAdmin, ({ body: { username } }) => ({ admin: adminRow({ username }), waiting }));
  await rowOf('tomasz.lind').getByRole('button', { name: 'Delete' }).click();
  await expect
    .element(dialog())
    .toMatchTextContent('If they can approve requests now, another Super Admin must approve the deletion first.');
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await expect.element(toast('The deletion is waiting for a second approver')).toBeVisible();
  await expectNone(dialog());
  await expect.element(rowOf('tomasz.lind')).toBeVisible();
  await expectNone(toast('Admin deleted successfully'));
});

test('the deletion of an administrator who can approve nothing mentions no second approver', async () => {
  answerAdmins([adminRow({ username: 'amara.osei', permissionSet: 'Support' })]);
  visitSignedIn('/dashboard/admin');
  await rowOf('amara.osei').getByRole('button', { name: 'Delete' }).click();
  await expect.element(dialog()).toMatchTextContent('Their sessions end and they can no longer sign in.');
  await expectNone(dialog().getByText(/must approve the deletion/));
});

test('a deletion that is already waiting is reported with the error text of the server', async () => {
  await openAdmins();
  refuse(deleteAdmin, 'RemovalWaits');
  await rowOf('tomasz.lind').getByRole('button', { name: 'Delete' }).click();
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await expect
    .element(toast('Failed to delete admin'))
    .toMatchTextContent('The deletion of this administrator is already waiting for a second approver.');
});

test('the profile of an administrator whose deletion is waiting says so and links to the request', async () => {
  const admin = adminRow({ username: 'tomasz.lind' });
  answerAdmins([admin]);
  const approval = freshId();
  const facts = [{ key: 'role', before: 'Admin', value: 'deleted' }];
  answer(readAdmin, { admin, waiting: { approval, facts, requestedBy: 'ines.moreau' } });
  visitSignedIn(`/dashboard/admin-profile/${admin.id}`);
  await expect
    .element(main().getByRole('alert'))
    .toHaveTextContent('The deletion requested by ines.moreau is waiting for a second approver. View request');
  await expect
    .element(page.getByRole('link', { name: 'View request' }))
    .toHaveAttribute('href', `/dashboard/approvals?approval=${approval}`);
});

test('a failed deletion is reported and still closes the modal', async () => {
  await openAdmins();
  cutOff(deleteAdmin);
  await rowOf('tomasz.lind').getByRole('button', { name: 'Delete' }).click();
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await expect.element(toast('Failed to delete admin')).toBeVisible();
  await expectNone(dialog());
  await expect.element(rowOf('tomasz.lind')).toBeVisible();
});

test('a list that cannot be loaded is reported as Failed to load admins and can be requested again', async () => {
  answerAdmins([adminRow({ username: 'tomasz.lind' })]);
  hold(streamEvents);
  fault(listAdmins);
  visitSignedIn('/dashboard/admin');
  await expect.element(toast('Failed to load admins').last()).toBeVisible();
  await expectNone(main().getByRole('alert'));
  await expect.element(main().getByRole('button', { name: 'Retry' })).toBeVisible();
  restore(listAdmins);
  await toast('Failed to load admins').last().getByRole('button', { name: 'Retry' }).click();
  await expect.element(rowOf('tomasz.lind')).toBeVisible();
  await expectNone(toast('Failed to load admins'));
});

test('an Admin who is not a SuperAdmin sees the list with disabled actions and the reason', async () => {
  await openAdmins(adminWith(null));
  await expectDisabledBecause(button('Add New Admin'), 'Your role does not allow this.');
  await button('Add New Admin').click({ force: true });
  const remove = rowOf('tomasz.lind').getByRole('button', { name: 'Delete' });
  await expect.element(remove).toHaveAttribute('aria-disabled', 'true');
  await remove.click({ force: true });
  await expectNone(dialog());
  expect(callsTo(deleteAdmin)).toEqual([]);
});

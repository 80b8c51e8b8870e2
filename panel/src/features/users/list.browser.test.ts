import { streamEvents } from 'contract/events.ts';
import { deleteUser, listUsers } from 'contract/users.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { anyToast, dialog, expectDisabledBecause, expectNone, main, retryIn, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, fault, hold, refuse, restore } from '#panel/testing/server.ts';
import { answerUsers, user } from '#panel/testing/user-answers.ts';

const row = (username: string) => page.getByRole('row').filter({ hasText: username });
const deleteIn = (username: string) => row(username).getByRole('button', { name: 'Delete' });

/** Opens a list with one user, with a server that deletes. */
async function openUsers(as = adminWith(null)) {
  const users = [user({ username: 'milancosta' })];
  answerUsers(users, as);
  answer(deleteUser, () => {
    users.pop();
    return {};
  });
  visitSignedIn('/dashboard/users');
  await expect.element(row('milancosta')).toBeVisible();
}

test('a double click on Delete sends one request', async () => {
  await openUsers();
  await deleteIn('milancosta').click();
  await dialog().getByRole('button', { name: 'Delete' }).dblClick();
  await expect.element(page.getByText('No users found.', { exact: true })).toBeVisible();
  expect(callsTo(deleteUser)).toHaveLength(1);
});

test('a failed deletion is reported and keeps the row', async () => {
  await openUsers();
  fault(deleteUser);
  await deleteIn('milancosta').click();
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await expect.element(toast('Failed to delete user')).toBeVisible();
  await expectNone(dialog());
  await expect.element(row('milancosta')).toBeVisible();
});

test('a list that fails to load shows the error in place, and Retry loads it', async () => {
  answerUsers([user({ username: 'milancosta' })]);
  hold(streamEvents);
  fault(listUsers);
  visitSignedIn('/dashboard/users');
  const alert = main().getByRole('alert');
  await expect.element(alert).toMatchTextContent('Failed to fetch users');
  expect(anyToast().elements()).toHaveLength(0);
  restore(listUsers);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect.element(row('milancosta')).toBeVisible();
});

test('a failed refresh keeps the rows and shows a toast until it succeeds', async () => {
  await openUsers();
  fault(listUsers);
  emit('users');
  await expect.element(toast('Failed to fetch users').last()).toBeVisible();
  await expect.element(row('milancosta')).toBeVisible();
  await expectNone(main().getByRole('alert'));
  restore(listUsers);
  await retryIn('Failed to fetch users');
  await expectNone(toast('Failed to fetch users'));
});

test('an invalid page cursor is reported once, and Retry opens the first page', async () => {
  answerUsers([user({ username: 'milancosta' })]);
  hold(streamEvents);
  refuse(listUsers, 'InvalidCursor');
  visitSignedIn('/dashboard/users?cursor=tampered');
  const alert = main().getByRole('alert');
  await expect.element(alert).toMatchTextContent('Failed to fetch users');
  expect(anyToast().elements()).toHaveLength(0);
  restore(listUsers);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect.element(row('milancosta')).toBeVisible();
  expect(window.location.search).toBe('');
});

for (const set of ['Support', 'Finance', 'Auditor'] as const) {
  test(`an admin with the permission set ${set} sees Delete disabled with the reason`, async () => {
    await openUsers(adminWith(set));
    await expectDisabledBecause(deleteIn('milancosta'), 'Your role does not allow this.');
    await deleteIn('milancosta').click({ force: true });
    await expectNone(dialog());
  });
}

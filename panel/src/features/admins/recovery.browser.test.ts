import { type Recovery, completeRecovery, listRecoveries, requestRecovery } from 'contract/admins-recovery.ts';
import { readAdmin } from 'contract/admins.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminRow, answerAdmins } from '#panel/testing/admin-answers.ts';
import { adminWith, signedInId, visitSignedIn } from '#panel/testing/app.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { button, dialog, expectDisabledBecause, expectNone, main, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, refuse } from '#panel/testing/server.ts';

const lost = adminRow({ username: 'kenji.sato' });
const waiting = { approval: freshId(), facts: [], requestedBy: 'ines.moreau' };

const approved = (requestedBy: string): Recovery => ({
  id: freshId(),
  admin: { id: lost.id, username: lost.username },
  reason: 'Lost the phone.',
  requestedBy,
  approvedBy: 'tomasz.lind',
  recoveredAt: null,
});

async function openProfile(recoveries: Recovery[] = []) {
  answerAdmins([lost]);
  answer(listRecoveries, { recoveries });
  visitSignedIn(`/dashboard/admin-profile/${lost.id}`);
  await expect.element(main().getByRole('heading', { name: 'Recover account' })).toBeVisible();
}

test('a recovery is requested with a reason, and then waits for a second approver', async () => {
  await openProfile();
  answer(requestRecovery, { waiting });
  await button('Recover account').click();
  await dialog().getByRole('button', { name: 'Request recovery' }).click();
  await expect.element(dialog().getByText('Give a reason of at least three characters.')).toBeVisible();
  expect(callsTo(requestRecovery)).toEqual([]);
  await expectAccessible();

  await dialog().getByLabelText('Reason').fill('Lost the phone.');
  answer(readAdmin, { admin: lost, waiting });
  await dialog().getByRole('button', { name: 'Request recovery' }).click();
  await expect.element(toast('The recovery is waiting for a second approver')).toBeVisible();
  expect(callsTo(requestRecovery)).toEqual([{ params: { id: lost.id }, body: { reason: 'Lost the phone.' } }]);
  await expectNone(dialog());
  await expectDisabledBecause(
    button('Recover account'),
    'The recovery of this administrator is already waiting for a second approver.',
  );
});

test('a refused request keeps the form open and says why', async () => {
  await openProfile();
  refuse(requestRecovery, 'RecoveryWaits');
  await button('Recover account').click();
  await dialog().getByLabelText('Reason').fill('Lost the phone.');
  await dialog().getByRole('button', { name: 'Request recovery' }).click();
  await expect
    .element(dialog().getByRole('alert'))
    .toMatchTextContent('The recovery of this administrator is already waiting for a second approver.');
});

test('the requester of an approved recovery sees the temporary password once', async () => {
  const recovery = approved('ines.moreau');
  await openProfile([recovery]);
  answer(completeRecovery, () => {
    answer(listRecoveries, { recoveries: [{ ...recovery, recoveredAt: new Date() }] });
    return { username: lost.username, password: 'abcde-fghjk-mnpqr-23456' };
  });
  await expect.element(main().getByText(/^tomasz.lind approved the recovery\./)).toBeVisible();
  await button('Show temporary password').click();
  expect(callsTo(completeRecovery)).toEqual([]);
  await dialog().getByRole('button', { name: 'Show temporary password' }).click();
  await expect.element(dialog().getByText('abcde-fghjk-mnpqr-23456')).toBeVisible();
  await expect.element(dialog().getByText('This password is not shown again.')).toBeVisible();
  expect(callsTo(completeRecovery)).toEqual([{ params: { id: recovery.id } }]);
  await expectAccessible();
  await dialog().getByRole('button', { name: 'Done' }).click();
  await expectNone(page.getByText('abcde-fghjk-mnpqr-23456'));
  await expect.element(button('Recover account')).toBeVisible();
});

test('the approver of a recovery does not get the password', async () => {
  await openProfile([approved('someone.else')]);
  await expect.element(button('Recover account')).toBeVisible();
  await expectNone(button('Show temporary password'));
});

test('an Admin cannot recover anyone, and nobody recovers their own account', async () => {
  answerAdmins([lost], adminWith(null));
  visitSignedIn(`/dashboard/admin-profile/${lost.id}`);
  await expectDisabledBecause(button('Recover account'), 'Your role does not allow this.');
  expect(callsTo(listRecoveries)).toEqual([]);

  answerAdmins([adminRow({ id: signedInId, username: 'ines.moreau', role: 'SuperAdmin' })]);
  visitSignedIn(`/dashboard/admin-profile/${signedInId}`);
  await expectDisabledBecause(
    button('Recover account'),
    'You can’t recover your own account. Change your password in the account menu instead.',
  );
});

import { openKey, readKeyReveal, requestKeyReveal, resetPassword } from 'contract/users-secrets.ts';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { queryClient } from '#panel/shell/query.ts';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { freshId } from '#panel/testing/list-answers.ts';
import { button, dialog, expectDisabledBecause, expectNone, main, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, refuse } from '#panel/testing/server.ts';
import { answerUsers, user } from '#panel/testing/user-answers.ts';

const privateKey = '5Jm1KeyOfNobody9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const reason = 'A court order';

type Answered = Parameters<typeof answerUsers>[1];

function openProfile(given: Parameters<typeof user>[0] = {}, as?: Answered) {
  const one = user(given);
  answerUsers([one], as);
  visitSignedIn(`/dashboard/user-profile/${one.id}`);
  return one;
}

const reveal = (state: 'waiting' | 'approved') => ({
  id: freshId(),
  approval: freshId(),
  state,
  reason,
  expiresAt: new Date(Date.now() + 3_600_000),
});

/** Opens the profile of a user whose key was approved for the administrator, up to the question. */
async function startOpening() {
  const one = user();
  const approved = reveal('approved');
  answerUsers([one]);
  answer(readKeyReveal, { reveal: approved });
  answer(openKey, { privateKey });
  visitSignedIn(`/dashboard/user-profile/${one.id}`);
  await button('Open private key').click();
  return approved;
}

const showKey = () => dialog().getByRole('button', { name: 'Show key' });

test('a Super Admin requests a private key with a reason, and the profile shows that it waits', async () => {
  const { id } = openProfile();
  const waiting = reveal('waiting');
  answer(requestKeyReveal, { reveal: waiting });
  await button('Reveal private key').click();
  await dialog().getByRole('button', { name: 'Request key' }).click();
  await expect.element(dialog().getByText('Enter a reason.')).toBeVisible();
  expect(callsTo(requestKeyReveal)).toEqual([]);
  await expectAccessible();
  answer(readKeyReveal, { reveal: waiting });
  await dialog().getByLabelText('Reason').fill(reason);
  await dialog().getByRole('button', { name: 'Request key' }).click();
  await expect.element(toast('Sent to a second approver')).toBeVisible();
  expect(callsTo(requestKeyReveal)).toEqual([{ params: { id }, body: { reason } }]);
  const link = main().getByRole('link', { name: 'Awaiting approval' });
  await expect.element(link).toHaveAttribute('href', `/dashboard/approvals?approval=${waiting.approval}`);
  answer(readKeyReveal, { reveal: reveal('approved') });
  emit('approvals');
  await expect.element(button('Open private key')).toBeVisible();
});

test('an approved key is shown only after a click, masked after a minute, and kept nowhere', async () => {
  const { id } = await startOpening();
  await expect.element(dialog().getByText('All Super Admins are notified that you opened it.')).toBeVisible();
  expect(callsTo(openKey)).toEqual([]);
  const timers: { run: () => void; ms: number | undefined }[] = [];
  const setTimer = window.setTimeout.bind(window);
  const spy = vi.spyOn(window, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
    if (ms === 60_000) timers.push({ run, ms });
    return setTimer(run, ms);
  }) as typeof window.setTimeout);
  await showKey().click();
  await expect.element(dialog().getByText(privateKey)).toBeVisible();
  expect(callsTo(openKey)).toEqual([{ params: { id } }]);
  await expectAccessible();
  expect(timers).toHaveLength(1);
  timers[0]?.run();
  spy.mockRestore();
  await expect.element(dialog().getByText('The key is hidden. Request it again if you still need it.')).toBeVisible();
  await expectNone(page.getByText(privateKey));
  const kept = queryClient.getMutationCache().getAll();
  await expect.poll(() => JSON.stringify(kept.map(({ state }) => state.data))).not.toContain(privateKey);
  expect(JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])).not.toContain(privateKey);
});

test('a closed dialog does not show the key again', async () => {
  await startOpening();
  await showKey().click();
  await expect.element(dialog().getByText(privateKey)).toBeVisible();
  answer(readKeyReveal, { reveal: null });
  emit('users');
  await dialog().getByRole('button', { name: 'Done' }).click();
  await expectNone(dialog());
  await expect.element(button('Reveal private key')).toBeVisible();
  await expectNone(page.getByText(privateKey));
  await expect
    .poll(() =>
      JSON.stringify(
        queryClient
          .getMutationCache()
          .getAll()
          .map(({ state }) => state.data),
      ),
    )
    .not.toContain(privateKey);
});

test('a refused opening says why in the dialog', async () => {
  await startOpening();
  refuse(openKey, 'KeyOpened');
  await showKey().click();
  await expect
    .element(dialog().getByText('This key was already opened. Request it again if you still need it.'))
    .toBeVisible();
});

test('a user without a key has no such button', async () => {
  openProfile({ solPrivateKey: 'none' });
  await expect.element(button('Reset password')).toBeVisible();
  await expectNone(button('Reveal private key'));
  expect(callsTo(readKeyReveal)).toEqual([]);
});

test('an admin who is no Super Admin cannot reveal a key, and asks for no state of one', async () => {
  openProfile({}, adminWith(null));
  await expectDisabledBecause(button('Reveal private key'), 'Your role does not allow this.');
  expect(callsTo(readKeyReveal)).toEqual([]);
});

test('an administrator resets a password with a reason, and the profile says when', async () => {
  const one = openProfile({}, adminWith(null));
  const after = { ...one, password: 'none' as const, passwordResetAt: new Date(), version: 2 };
  answer(resetPassword, { user: after });
  await button('Reset password').click();
  await expect
    .element(dialog().getByText('The platform is notified so that it can ask for a new password.'))
    .toBeVisible();
  answerUsers([after], adminWith(null));
  await dialog().getByLabelText('Reason').fill(reason);
  await dialog().getByRole('button', { name: 'Reset password' }).click();
  await expect.element(toast('Password reset')).toBeVisible();
  expect(callsTo(resetPassword)).toEqual([{ params: { id: one.id }, body: { reason } }]);
  await expect.element(main().getByText('Reset just now')).toBeVisible();
});

test('support cannot reset a password, and nobody can while editing the profile', async () => {
  openProfile({}, adminWith('Support'));
  await expectDisabledBecause(button('Reset password'), 'Your role does not allow this.');
  openProfile();
  await button('Edit Profile').click();
  await expectDisabledBecause(button('Reset password'), 'Save or cancel your changes first.');
  await expectDisabledBecause(button('Reveal private key'), 'Save or cancel your changes first.');
});

import {
  listOwnSessions,
  listOwnSignIns,
  listPolicyReports,
  type OwnSession,
  revokeOtherSessions,
  revokeOwnSession,
} from 'contract/security.ts';
import {
  confirmApp,
  type Factors,
  readFactors,
  removeApp,
  renewRecoveryCodes,
  startApp,
  stepUp,
} from 'contract/security-factors.ts';
import { listPasskeys, startPasskey } from 'contract/security-passkeys.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, answerFrame, visitSignedIn } from '#panel/testing/app.ts';
import { freshId, longAgo } from '#panel/testing/list-answers.ts';
import { button, expectDisabledBecause, expectNone, heading, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, refuse, restore } from '#panel/testing/server.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const codes = ['abcd-efgh-2345-6723', 'bcde-fghi-3456-7234'];
const modal = (name: string) => page.getByRole('dialog', { name, exact: true });

const session = (given: Partial<OwnSession> = {}): OwnSession => ({
  id: freshId(),
  device: firefox,
  network: '203.0.113.0/24',
  createdAt: longAgo,
  lastUsedAt: longAgo,
  current: false,
  ...given,
});

const noFactors: Factors = { appSince: null, recoveryCodesLeft: 0, hasPasskey: false, required: false };
const withApp: Factors = { appSince: longAgo, recoveryCodesLeft: 9, hasPasskey: false, required: true };

type Account = { sessions?: OwnSession[]; factors?: Factors; admin?: ReturnType<typeof adminWith> };

async function openSecurity({ sessions = [session({ current: true })], factors = noFactors, admin }: Account = {}) {
  answerFrame(admin);
  answer(listOwnSessions, () => ({ sessions: [...sessions] }));
  answer(listOwnSignIns, {
    attempts: [
      { seq: '2', at: longAgo, succeeded: false, device: 'curl/8', network: '198.51.100.0/24' },
      { seq: '1', at: longAgo, succeeded: true, device: firefox, network: '203.0.113.0/24' },
    ],
    olderThan: null,
  });
  answer(listPolicyReports, {
    reports: [{ directive: 'script-src', blocked: 'inline', reports: 12, firstAt: longAgo, lastAt: longAgo }],
  });
  answer(readFactors, () => ({ factors }));
  answer(listPasskeys, { passkeys: [] });
  visitSignedIn('/dashboard/security');
  await expect.element(heading('Security')).toBeVisible();
}

test('sessions, sign-ins and policy reports are listed', async () => {
  await openSecurity({ sessions: [session({ current: true }), session({ device: 'curl/8' })] });
  await expect.element(page.getByText('This session')).toBeVisible();
  await expect.element(page.getByText('Refused')).toBeVisible();
  await expect.element(page.getByText('12 reports')).toBeVisible();
  await expect.element(button('End session of curl/8')).toBeVisible();
  await expectAccessible();
});

test('only those who may read the audit log see policy reports', async () => {
  await openSecurity({ admin: adminWith('Support') });
  await expect.element(page.getByText('Sign-in history')).toBeVisible();
  await expectNone(page.getByText('Content policy reports'));
});

test('one session is ended, or all others after a question', async () => {
  const other = session({ device: 'curl/8' });
  const sessions = [session({ current: true }), other];
  answer(revokeOwnSession, {});
  answer(revokeOtherSessions, () => {
    sessions.pop();
    return { ended: 1 };
  });
  await openSecurity({ sessions });
  await button('End session of curl/8').click();
  await expect.element(toast('Session ended')).toBeVisible();
  expect(callsTo(revokeOwnSession)).toEqual([{ params: { id: other.id } }]);
  await button('Sign out everywhere else').click();
  await modal('Sign out everywhere else').getByRole('button', { name: 'Sign out everywhere else' }).click();
  await expect.element(toast('1 session ended')).toBeVisible();
  await expectDisabledBecause(button('Sign out everywhere else'), 'There are no other sessions.');
});

test('an app is set up with a code, and the recovery codes are shown once', async () => {
  answer(startApp, { secret: 'GEZDGNBVGY3TQOJQ', uri: 'otpauth://totp/Bursar:ines.moreau?secret=GEZDGNBVGY3TQOJQ' });
  answer(confirmApp, { token: 'a new token', recoveryCodes: codes });
  await openSecurity();
  await button('Set up').click();
  const form = modal('Set up an authenticator app');
  await expect.element(form.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  await expect.element(form.getByText('GEZD GNBV GY3T QOJQ')).toBeVisible();
  await expectAccessible();
  await form.getByRole('button', { name: 'Turn on' }).click();
  await expect.element(form.getByText('Enter a code.')).toBeVisible();
  refuse(confirmApp, 'CodeWrong');
  await form.getByLabelText('Code').fill('123456');
  await form.getByRole('button', { name: 'Turn on' }).click();
  await expect
    .element(form.getByText('That code is incorrect or has already been used. Enter a new one.'))
    .toBeVisible();
  restore(confirmApp);
  await form.getByRole('button', { name: 'Turn on' }).click();
  for (const code of codes) await expect.element(form.getByText(code)).toBeVisible();
  expect(localStorage.getItem('token')).toBe('a new token');
  await expectAccessible();
  await form.getByRole('button', { name: 'Done' }).click();
  await expectNone(page.getByRole('dialog'));
});

test('an app is removed with a code, and new recovery codes replace the old ones', async () => {
  answer(removeApp, { token: 'a new token' });
  answer(renewRecoveryCodes, { recoveryCodes: codes });
  await openSecurity({ factors: withApp });
  await expect.element(page.getByText('9 codes left.')).toBeVisible();
  await button('Create new codes').click();
  await modal('New recovery codes').getByRole('button', { name: 'Create new codes' }).click();
  await expect.element(page.getByText('bcde-fghi-3456-7234')).toBeVisible();
  await button('Done').click();
  await expectNone(page.getByRole('dialog'));
  await button('Remove').click();
  const form = modal('Remove the authenticator app');
  await form.getByLabelText('Code').fill('123456');
  await form.getByRole('button', { name: 'Remove' }).click();
  await expect.element(toast('Authenticator app removed')).toBeVisible();
  expect(localStorage.getItem('token')).toBe('a new token');
});

const proof = () => modal("Confirm it's you");

test('an action that needs a recent proof asks for it and is then repeated', async () => {
  answer(startApp, { secret: 'GEZDGNBVGY3TQOJQ', uri: 'otpauth://totp/Bursar:ines.moreau?secret=GEZDGNBVGY3TQOJQ' });
  refuse(startApp, 'StepUpRequired');
  answer(stepUp, () => {
    restore(startApp);
    return { token: 'a new token' };
  });
  await openSecurity();
  await button('Set up').click();
  await expect.element(proof().getByLabelText('Password', { exact: true })).toHaveFocus();
  await expectAccessible();
  await proof().getByRole('button', { name: 'Confirm' }).click();
  await expect.element(proof().getByText('Enter your password.')).toBeVisible();
  await proof().getByLabelText('Password', { exact: true }).fill('a long enough phrase');
  await proof().getByRole('button', { name: 'Confirm' }).click();
  await expect.element(page.getByText('GEZD GNBV GY3T QOJQ')).toBeVisible();
  expect(callsTo(stepUp)).toEqual([{ body: { password: 'a long enough phrase' } }]);
  expect(callsTo(startApp)).toHaveLength(2);
  expect(localStorage.getItem('token')).toBe('a new token');
});

test('a proof that is canceled sends nothing again, and the action says why it failed', async () => {
  refuse(startPasskey, 'StepUpRequired');
  await openSecurity({ factors: withApp });
  await button('Add passkey').click();
  const form = modal('Add a passkey');
  await form.getByLabelText('Name').fill('Laptop');
  await form.getByRole('button', { name: 'Add passkey' }).click();
  refuse(stepUp, 'CodeWrong');
  await proof().getByLabelText('Code').fill('123456');
  await proof().getByRole('button', { name: 'Confirm' }).click();
  await expect
    .element(proof().getByText('That code is incorrect or has already been used. Enter a new one.'))
    .toBeVisible();
  await proof().getByRole('button', { name: 'Cancel' }).click();
  await expect.element(page.getByText('Nothing was changed. Confirm that it is you and try again.')).toBeVisible();
  expect(callsTo(startPasskey)).toHaveLength(1);
});

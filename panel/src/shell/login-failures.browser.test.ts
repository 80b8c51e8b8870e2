import { login, readMe } from 'contract/auth.ts';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { visit } from '#panel/testing/app.ts';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { button } from '#panel/testing/screen.ts';
import { answer, callsTo, cutOff, fault, refuse } from '#panel/testing/server.ts';
import { loggedAt } from '#panel/testing/watch.ts';

const anyFailure = 'Invalid username or password.';
const credentials = { username: 'ines.moreau', password: 'not the password' };

async function signIn({ username, password } = credentials) {
  await page.getByLabelText('Username').fill(username);
  await page.getByLabelText('Password', { exact: true }).fill(password);
  await button('Login').click();
}

async function expectAlert(...lines: string[]) {
  const alert = page.getByRole('alert');
  await expect.poll(() => [...alert.element().children].map(({ textContent }) => textContent)).toEqual(lines);
}

for (const [what, username, password] of [
  ['username', '', 'something'],
  ['password', 'someone', ''],
  ['username and password', '', ''],
] as const) {
  test(`an empty ${what} shows an alert and sends nothing`, async () => {
    answer(login, { token: 'a token' });
    visit('/login');
    await signIn({ username, password });
    await expectAlert('Please enter username and password.');
    expect(callsTo(login)).toEqual([]);
  });
}

test('wrong credentials show the specified text and no second line', async () => {
  refuse(login, 'InvalidCredentials');
  visit('/login');
  await signIn();
  await expectAlert(anyFailure);
  expect(callsTo(login)).toEqual([{ body: credentials }]);
  expect(window.location.pathname).toBe('/login');
  expect(localStorage.getItem('token')).toBeNull();
  await expectAccessible();
});

test('every failed login is logged, whatever the cause', async () => {
  refuse(login, 'InvalidCredentials');
  visit('/login');
  await signIn();
  await expect.poll(() => loggedAt('info')).toEqual([expect.stringMatching(/^Login failed InvalidCredentials/)]);
  cutOff(login);
  await signIn();
  await expect.poll(() => loggedAt('info')).toHaveLength(2);
  expect(loggedAt('info')[1]).toMatch(/^Login failed Unreachable/);
});

test('a server error shows the specified text and a second line with the cause', async () => {
  fault(login);
  visit('/login');
  await signIn();
  await expectAlert(anyFailure, 'Something went wrong on our side. Check what was done before you try again.');
});

test('a network failure shows the specified text and a second line with the cause', async () => {
  cutOff(login);
  visit('/login');
  await signIn();
  await expectAlert(anyFailure, 'The server cannot be reached. Check your connection and try again.');
});

test('too many attempts show the specified text and a second line with the cause', async () => {
  refuse(login, 'TooManyAttempts');
  visit('/login');
  await signIn();
  await expectAlert(anyFailure, 'Too many attempts. Please wait before trying again.');
});

test('an expired temporary password says so, and who can help', async () => {
  refuse(login, 'TemporaryPasswordExpired');
  visit('/login');
  await signIn();
  await expectAlert(anyFailure, 'Your temporary password has expired. Ask a Super Admin to recover your account.');
});

for (const [where, isSecureContext, cause] of [
  [
    'over plain http',
    false,
    'The password was accepted, but the browser discarded the session cookie because this page was opened over plain http. ' +
      'Open it over https, or on the server itself at http://localhost.',
  ],
  [
    'with cookies off',
    true,
    'The password was accepted, but the browser discarded the session cookie. Allow cookies for this site and try again.',
  ],
] as const) {
  test(`a browser that discards the session cookie ${where} shows what to do`, async () => {
    vi.spyOn(window, 'isSecureContext', 'get').mockReturnValue(isSecureContext);
    answer(login, { token: 'a token' });
    refuse(readMe, 'SignInRequired');
    visit('/login');
    await signIn();
    await expectAlert(anyFailure, cause);
    await expect.element(button('Login')).toBeEnabled();
    expect(window.location.pathname).toBe('/login');
    expect(localStorage.getItem('token')).toBeNull();
    await expectAccessible();
  });
}

test('an account with a second factor is asked for a code after its password', async () => {
  refuse(login, 'FactorRequired');
  visit('/login');
  await signIn();
  await expect.element(page.getByLabelText('Code')).toHaveFocus();
  await expectAccessible();
  await button('Login').click();
  await expectAlert('Enter a code.');
  refuse(login, 'CodeWrong');
  await page.getByLabelText('Code').fill('123 456');
  await button('Login').click();
  await expectAlert('That code is incorrect or has already been used. Enter a new one.');
  expect(callsTo(login)).toEqual([{ body: credentials }, { body: { ...credentials, code: '123 456' } }]);
  await button('Back to login').click();
  await expect.element(page.getByLabelText('Username')).toHaveFocus();
  await expectAlert();
});

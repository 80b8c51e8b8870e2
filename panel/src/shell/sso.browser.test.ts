import { finishSso, finishSsoWithCode, startSso } from 'contract/auth-sso.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answerFrame, visit } from '#panel/testing/app.ts';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { button, expectNone } from '#panel/testing/screen.ts';
import { answer, callsTo, hold, refuse } from '#panel/testing/server.ts';

const sso = document.createElement('meta');
sso.name = 'single-sign-on';
sso.content = 'yes';
beforeEach(() => document.head.append(sso));
afterEach(() => sso.remove());

const alert = () => page.getByRole('alert');

test('Login offers single sign-on only if the installation has it', async () => {
  visit('/login');
  await expect.element(button('Sign in with SSO')).toBeVisible();
  await expectAccessible();
  sso.remove();
  visit('/login');
  await expect.element(button('Login')).toBeVisible();
  await expectNone(button('Sign in with SSO'));
});

test('a provider that does not respond is reported', async () => {
  refuse(startSso, 'SsoUnavailable');
  visit('/login');
  await button('Sign in with SSO').click();
  await expect
    .element(alert())
    .toHaveTextContent('The single sign-on provider does not respond. Try again, or sign in with your password.');
  await expect.element(button('Sign in with SSO')).toBeEnabled();
});

test('the answer of the provider signs in, once, and leaves the address', async () => {
  answerFrame();
  answer(finishSso, { token: 'a token' });
  const finish = hold(finishSso);
  visit('/login?code=abc&state=def&iss=https%3A%2F%2Fid.example');
  await expect
    .poll(() => callsTo(finishSso))
    .toEqual([{ body: { query: '?code=abc&state=def&iss=https%3A%2F%2Fid.example' } }]);
  expect(window.location.search).toBe('');
  finish();
  await expect.poll(() => window.location.pathname).toBe('/dashboard');
  expect(callsTo(finishSso)).toHaveLength(1);
});

test('a refused single sign-on says why, and the password still works', async () => {
  refuse(finishSso, 'SsoNotPermitted');
  visit('/login?error=access_denied&state=def');
  await expect
    .element(alert())
    .toHaveTextContent('Your single sign-on account gives no access to Bursar. Ask a Super Admin.');
  expect(window.location.search).toBe('');
  await expect.element(button('Login')).toBeEnabled();
});

test('an address with a code changes nothing without single sign-on', async () => {
  sso.remove();
  visit('/login?code=abc&state=def');
  await expect.element(button('Login')).toBeVisible();
  expect(callsTo(finishSso)).toEqual([]);
});

test('an account with a second factor is asked for a code after single sign-on', async () => {
  answerFrame();
  refuse(finishSso, 'FactorRequired');
  refuse(finishSsoWithCode, 'CodeWrong');
  visit('/login?code=abc&state=def');
  await page.getByLabelText('Code').fill('123456');
  await button('Login').click();
  await expect.element(alert()).toHaveTextContent('That code is incorrect or has already been used. Enter a new one.');
  answer(finishSsoWithCode, { token: 'a token' });
  await page.getByLabelText('Code').fill('654321');
  await button('Login').click();
  await expect.poll(() => window.location.pathname).toBe('/dashboard');
  expect(callsTo(finishSsoWithCode)).toEqual([{ body: { code: '123456' } }, { body: { code: '654321' } }]);
});

import type { Page } from '@playwright/test';
import { demoSignIn, expect, fillLogin, test } from './fixtures.ts';
import { answerFault, cutOff, freshName } from './pieces.ts';
import { onceOnly } from './tags.ts';

const loginCall = '/api/admin/login';
const alert = (page: Page) => page.getByRole('alert');

test(
  'a wrong password is answered with the specified words and no second line',
  onceOnly,
  async ({ visitor, watch }) => {
    watch.expectFailureOf(loginCall);
    await visitor.goto('/login');
    await fillLogin(visitor, { username: demoSignIn.username, password: 'not the password' });
    await expect(alert(visitor)).toHaveText('Invalid username or password.');
    await expect(visitor).toHaveURL('/login');
    expect(await visitor.evaluate(() => localStorage.getItem('token'))).toBeNull();
  },
);

test('a failed login is logged as well, whatever failed', onceOnly, async ({ visitor, watch }) => {
  watch.expectFailureOf(loginCall);
  const logged = () =>
    visitor.waitForEvent('console', { predicate: (message) => message.text().startsWith('Login failed') });
  await visitor.goto('/login');
  const wrong = logged();
  await fillLogin(visitor, { username: demoSignIn.username, password: 'not the password' });
  expect((await wrong).text()).toContain('InvalidCredentials');
  await visitor.route(`**${loginCall}`, cutOff);
  const cut = logged();
  await fillLogin(visitor, demoSignIn);
  expect((await cut).text()).toContain('Unreachable');
});

test(
  'a fault of the server is answered with the specified words and a second line that says so',
  onceOnly,
  async ({ visitor, watch }) => {
    watch.expectFailureOf(loginCall);
    await visitor.goto('/login');
    await visitor.route(`**${loginCall}`, answerFault);
    await fillLogin(visitor, demoSignIn);
    await expect(alert(visitor).locator('p')).toHaveText([
      'Invalid username or password.',
      'Something went wrong on our side. Check what was done before you try again.',
    ]);
  },
);

test(
  'a cut network is answered with the specified words and a second line that says so',
  onceOnly,
  async ({ visitor, watch }) => {
    watch.expectFailureOf(loginCall);
    await visitor.goto('/login');
    await visitor.route(`**${loginCall}`, cutOff);
    await fillLogin(visitor, demoSignIn);
    await expect(alert(visitor).locator('p')).toHaveText([
      'Invalid username or password.',
      'The server cannot be reached. Check your connection and try again.',
    ]);
  },
);

test(
  'too many attempts are answered with the specified words and a second line that says so',
  onceOnly,
  async ({ visitor, watch }) => {
    watch.expectFailureOf(loginCall);
    const username = freshName('stranger');
    await visitor.goto('/login');
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await visitor.request.post(loginCall, { data: { username, password: 'a guess' } });
    }
    await fillLogin(visitor, { username, password: 'a guess' });
    await expect(alert(visitor).locator('p')).toHaveText([
      'Invalid username or password.',
      'Too many attempts. Please wait before trying again.',
    ]);
  },
);

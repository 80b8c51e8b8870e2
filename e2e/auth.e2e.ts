import type { Page } from '@playwright/test';
import { demoSignIn, expect, fillLogin, test } from './fixtures.ts';
import { addAdmin, freshName, heading, openSidebar, temporaryPassword, toast } from './page-helpers.ts';
import { inGate, inGateOnBoth, inGateOnce, onceOnly } from './tags.ts';

const loginCall = '/api/admin/login';
const alert = (page: Page) => page.getByRole('alert');
const tokenOf = (page: Page) => page.evaluate(() => localStorage.getItem('token'));

test('the login page has a heading, two fields, a button and an alert area', inGate, async ({ visitor }) => {
  await visitor.goto('/login');
  await expect(heading(visitor, 'Login')).toBeVisible();
  await expect(visitor.getByLabel('Username')).toHaveAttribute('name', 'username');
  await expect(visitor.getByLabel('Password', { exact: true })).toHaveAttribute('name', 'password');
  await expect(visitor.getByRole('button', { name: 'Login', exact: true })).toBeVisible();
  await expect(alert(visitor)).toHaveText('');
});

test('the root URL shows Login as well', onceOnly, async ({ visitor }) => {
  await visitor.goto('/');
  await expect(heading(visitor, 'Login')).toBeVisible();
});

test('the login form is at most 400px wide and has no native validation', async ({ visitor }) => {
  await visitor.goto('/login');
  const form = visitor.locator('form');
  await expect(form).toHaveAttribute('novalidate', '');
  const box = await form.boundingBox();
  expect(box?.width).toBeLessThanOrEqual(400);
  expect(box?.width).toBeGreaterThan(300);
});

test('a wrong password shows the specified text and no second line', onceOnly, async ({ visitor, watch }) => {
  watch.expectFailureOf(loginCall);
  await visitor.goto('/login');
  await fillLogin(visitor, { username: demoSignIn.username, password: 'not the password' });
  await expect(alert(visitor)).toHaveText('Invalid username or password.');
  await expect(visitor).toHaveURL('/login');
  expect(await tokenOf(visitor)).toBeNull();
});

test('too many attempts are throttled, and the login page says so', onceOnly, async ({ visitor, watch }) => {
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
});

test('no call has a timeout, except Logout', onceOnly, async ({ visitor, watch }) => {
  watch.toleratesFailureOf('/api/events');
  await visitor.addInitScript(() => {
    const after = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => {
      document.documentElement.dataset['timed'] = String(ms);
      return after(ms);
    };
  });
  await signInWithForm(visitor);
  await expect(visitor.locator('.chart-line')).toBeVisible();
  const sidebar = await openSidebar(visitor);
  await sidebar.getByRole('link', { name: 'Users' }).click();
  await expect(visitor.getByRole('row').nth(1)).toBeVisible();
  const timed = visitor.locator('html');
  await expect(timed).not.toHaveAttribute('data-timed');
  await (await openSidebar(visitor)).getByRole('button', { name: 'Logout' }).click();
  await expect(heading(visitor, 'Login')).toBeVisible();
  await expect(timed).toHaveAttribute('data-timed', '3000');
});

test('a correct password stores the token and leads to the dashboard', inGateOnBoth, async ({ visitor }) => {
  await visitor.goto('/login');
  const answered = visitor.waitForResponse(`**${loginCall}`);
  await fillLogin(visitor, demoSignIn);
  await expect(visitor).toHaveURL('/dashboard');
  const answer = await answered;
  expect(answer.request().postDataJSON()).toEqual(demoSignIn);
  expect(await answer.request().headerValue('content-type')).toBe('application/json');
  expect(await answer.json()).toEqual({ token: await tokenOf(visitor) });
  await expect(heading(visitor, 'Analytics')).toBeVisible();
});

test(
  'every call carries the bearer token, and a call before the sign-in carries none',
  inGateOnce,
  async ({ page, visitor }) => {
    const bearers = bearersOf(page);
    await page.goto('/dashboard');
    await expect(page.locator('.chart-line')).toBeVisible();
    await page.goto('/dashboard/users');
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    const sent = bearers();
    expect(sent.length).toBeGreaterThan(5);
    expect(new Set(sent)).toEqual(new Set([`Bearer ${await tokenOf(page)}`]));

    const anonymous = bearersOf(visitor);
    await signInWithForm(visitor);
    expect(anonymous()[0]).toBeNull();
  },
);

function bearersOf(page: Page) {
  const headers: (string | null)[] = [];
  page.on('request', (request) => {
    const called = new URL(request.url()).pathname.startsWith('/api/');
    // Read immediately: the last requests of a test are still open when it ends.
    if (called) headers.push(request.headers()['authorization'] ?? null);
  });
  return () => headers;
}

test(
  'a page that needs a session leads to Login and then back to its path and search',
  inGateOnce,
  async ({ visitor }) => {
    const wanted = '/dashboard/tickets?status=open&sort=type';
    await visitor.goto(wanted);
    await expect(heading(visitor, 'Login')).toBeVisible();
    await expect(visitor).toHaveURL(/\/login\?returnTo=/);
    await expect(visitor.getByText('Support Tickets')).toBeHidden();
    await fillLogin(visitor, demoSignIn);
    await expect(visitor).toHaveURL(wanted);
    await expect(heading(visitor, 'Support Tickets')).toBeVisible();
  },
);

test('a token that the server does not know leads to Login', inGateOnce, async ({ visitor, watch }) => {
  watch.expectFailureOf('/api/auth/me');
  await visitor.goto('/login');
  await visitor.evaluate(() => localStorage.setItem('token', 'made up'));
  await visitor.goto('/dashboard/admin');
  await expect(visitor).toHaveURL(/\/login\?returnTo=/);
  await expect(heading(visitor, 'Login')).toBeVisible();
  expect(await tokenOf(visitor)).toBeNull();
});

test(
  'a stolen token is worth nothing without the cookie of its browser',
  inGateOnce,
  async ({ page, visitor, watch }) => {
    watch.expectFailureOf('/api/auth/me');
    await page.goto('/dashboard');
    const stolen = await tokenOf(page);
    await visitor.goto('/login');
    await visitor.evaluate((token) => localStorage.setItem('token', String(token)), stolen);
    await visitor.goto('/dashboard');
    await expect(heading(visitor, 'Login')).toBeVisible();
  },
);

test('Login leads a signed-in administrator to the dashboard', onceOnly, async ({ page }) => {
  for (const address of ['/login', '/']) {
    await page.goto(address);
    await expect(page).toHaveURL('/dashboard');
    await expect(heading(page, 'Analytics')).toBeVisible();
  }
});

test('a link to Login never leads to another site', onceOnly, async ({ visitor }) => {
  await visitor.goto('/login?returnTo=https%3A%2F%2Fexample.com%2F');
  await fillLogin(visitor, demoSignIn);
  await expect(visitor).toHaveURL('/dashboard');
});

test(
  'Logout removes the token and every followed-task- key, keeps the theme, and leads to Login',
  inGateOnce,
  async ({ visitor, theme }) => {
    await signInWithForm(visitor);
    await visitor.evaluate(() => {
      localStorage.setItem('followed-task-1', 'yes');
      localStorage.setItem('followed-task-xyz', 'yes');
      localStorage.setItem('unrelated', 'stays');
    });
    const loggedOut = visitor.waitForResponse('**/api/auth/logout');
    const sidebar = await openSidebar(visitor);
    await sidebar.getByRole('button', { name: 'Logout' }).click();
    expect((await loggedOut).status()).toBe(200);
    await expect(visitor).toHaveURL('/login');
    await expect(heading(visitor, 'Login')).toBeVisible();
    const kept = await visitor.evaluate(() => Object.fromEntries(Object.entries(localStorage)));
    expect(Object.keys(kept).filter((key) => key === 'token' || key.startsWith('followed-task-'))).toEqual([]);
    expect(kept).toMatchObject({ unrelated: 'stays', theme });
  },
);

test(
  'until the server confirms the session, an empty frame is shown and nothing of the dashboard',
  inGate,
  async ({ freshPage: page }) => {
    let answer = () => undefined as void;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/auth/me', async (route) => {
      await held;
      await route.continue();
    });
    const requested = page.waitForRequest('**/api/auth/me');
    await page.goto('/dashboard/users');
    await requested;
    await expect(page.locator('.frame')).toBeVisible();
    expect(await page.locator('body').innerText()).toBe('Bursar');
    answer();
    await expect(page.getByRole('heading', { name: 'User Management' })).toBeVisible();
    await expect(page.locator('.frame')).toHaveCount(0);
  },
);

test('the back button after Logout shows nothing of the dashboard', inGateOnce, async ({ visitor }) => {
  await signInWithForm(visitor);
  await visitor.goto('/dashboard/admin');
  await expect(visitor.getByRole('row').nth(1)).toBeVisible();
  const sidebar = await openSidebar(visitor);
  await sidebar.getByRole('button', { name: 'Logout' }).click();
  await expect(visitor).toHaveURL('/login');
  await visitor.goBack();
  await expect(heading(visitor, 'Login')).toBeVisible();
  await expect(visitor.getByText('ines.moreau')).toHaveCount(0);
});

test('Logout in one tab signs out the other tab', inGateOnce, async ({ visitor, context, watch }) => {
  watch.toleratesFailureOf('/api/events');
  await signInWithForm(visitor);
  const other = await context.newPage();
  await other.goto('/dashboard/tickets');
  // Requests that are open when the session ends are refused, so wait for them first.
  await expect(other.getByRole('row').nth(1)).toBeVisible();
  await expect(visitor.locator('.chart-line')).toBeVisible();
  await expect(visitor.getByText(/needs? attention\.$/)).toBeVisible();
  const sidebar = await openSidebar(visitor);
  await sidebar.getByRole('button', { name: 'Logout' }).click();
  await expect(heading(other, 'Login')).toBeVisible();
});

test(
  'a first sign-in with a temporary password requires choosing a new password',
  inGate,
  async ({ page, visitor, watch }) => {
    await page.goto('/dashboard');
    const username = freshName('newcomer');
    await addAdmin(page, { username });
    await visitor.goto('/dashboard/tickets');
    await fillLogin(visitor, { username, password: temporaryPassword });
    await expect(heading(visitor, 'Choose a new password')).toBeVisible();

    await visitor.goto('/dashboard/admin');
    await expect(heading(visitor, 'Choose a new password')).toBeVisible();

    const own = 'seven copper kettles';
    watch.expectFailureOf('/api/auth/password');
    await fillNewPassword(visitor, { current: 'not the temporary one', own });
    await expect(visitor.getByText('The current password is incorrect.')).toBeVisible();
    await fillNewPassword(visitor, { current: temporaryPassword, own });
    await expect(visitor).toHaveURL('/dashboard/admin');
    await expect(heading(visitor, 'Admin Panel')).toBeVisible();
  },
);

test('an administrator changes their password from the account menu', onceOnly, async ({ page, visitor }) => {
  await page.goto('/dashboard');
  const username = freshName('chooser');
  await addAdmin(page, { username });
  await visitor.goto('/login');
  await fillLogin(visitor, { username, password: temporaryPassword });
  await fillNewPassword(visitor, { current: temporaryPassword, own: 'seven copper kettles' });
  await expect(visitor).toHaveURL('/dashboard');

  await visitor.goto('/dashboard/tickets?status=open');
  await visitor.getByRole('button', { name: `Signed in as ${username}` }).click();
  await visitor.getByRole('menuitem', { name: 'Change password' }).click();
  await fillNewPassword(visitor, { current: 'seven copper kettles', own: 'eight silver spoons' });
  await expect(toast(visitor, 'Password changed')).toBeVisible();
  await expect(visitor).toHaveURL('/dashboard/tickets?status=open');
  await expect(visitor.getByRole('row').nth(1)).toBeVisible();
});

async function signInWithForm(page: Page) {
  await page.goto('/login');
  await fillLogin(page, demoSignIn);
  await expect(heading(page, 'Analytics')).toBeVisible();
}

async function fillNewPassword(page: Page, { current, own }: { current: string; own: string }) {
  await page.getByLabel('Current password').fill(current);
  await page.getByLabel('New password', { exact: true }).fill(own);
  await page.getByLabel('Repeat new password').fill(own);
  await page.getByRole('button', { name: 'Save password' }).click();
}

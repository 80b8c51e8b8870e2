import type { Page } from '@playwright/test';
import { demoSignIn, expect, fillLogin, test } from './fixtures.ts';
import { heading } from './page-helpers.ts';
import { inGateOnce, onceOnly } from './tags.ts';

const card = (page: Page, title: string) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

test(
  'another session of one’s own is listed and ended, and then everything else',
  inGateOnce,
  async ({ visit, visitor, watch }) => {
    watch.toleratesFailureOf('/api/');
    await visitor.goto('/login');
    await fillLogin(visitor, { username: 'lucia.brandt', password: demoSignIn.password });
    await expect(heading(visitor, 'Analytics')).toBeVisible();

    const page = await visit({ as: 'lucia.brandt' });
    await page.goto('/dashboard/security');
    const sessions = card(page, 'Active sessions').getByRole('listitem');
    await expect(sessions).toHaveCount(2);
    await expect(sessions.first()).toContainText('This session');
    await sessions
      .last()
      .getByRole('button', { name: /^End session of Chrome/ })
      .click();
    await expect(sessions).toHaveCount(1);
    await expect(heading(visitor, 'Login')).toBeVisible();

    await fillLogin(visitor, { username: 'lucia.brandt', password: demoSignIn.password });
    await expect(heading(visitor, 'Analytics')).toBeVisible();
    await page.reload();
    await expect(sessions).toHaveCount(2);
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click();
    await expect(sessions).toHaveCount(1);
    await expect(heading(visitor, 'Login')).toBeVisible();
    await expect(heading(page, 'Security')).toBeVisible();
  },
);

test('a refused sign-in is in the history of its account', onceOnly, async ({ visit, visitor, watch }) => {
  watch.expectFailureOf('/api/admin/login');
  await visitor.goto('/login');
  await fillLogin(visitor, { username: 'kenji.sato', password: 'not the password' });
  await expect(visitor.getByRole('alert')).toHaveText('Invalid username or password.');
  const page = await visit({ as: 'kenji.sato' });
  await page.goto('/dashboard/security');
  const attempts = card(page, 'Sign-in history').getByRole('listitem');
  await expect(attempts.filter({ hasText: 'Refused' }).first()).toContainText('Chrome on');
  await expect(attempts.filter({ hasText: 'Signed in' }).first()).toBeVisible();
});

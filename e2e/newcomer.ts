import type { Page } from '@playwright/test';
import { expect, fillLogin } from './fixtures.ts';
import { addAdmin, callApi, freshName, heading, temporaryPassword } from './page-helpers.ts';

const own = 'seven copper kettles';

/** Signs in a new administrator, whose sessions no other test uses. */
export async function signInNewcomer(page: Page, visitor: Page, site = '') {
  await page.goto('/dashboard');
  const username = freshName('factor');
  await addAdmin(page, { username });
  await visitor.goto(`${site}/login`);
  await fillLogin(visitor, { username, password: temporaryPassword });
  await expect(heading(visitor, 'Choose a new password')).toBeVisible();
  const body = { currentPassword: temporaryPassword, newPassword: own };
  const { json } = await callApi(visitor, 'POST', { path: '/api/auth/password', body });
  await visitor.evaluate((token) => localStorage.setItem('token', token), (json as { token: string }).token);
  return { username, password: own };
}

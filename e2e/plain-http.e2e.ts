import { chromium } from '@playwright/test';
import { chromiumOptions } from './chromium.ts';
import { demoSignIn, expect, fillLogin, test } from './fixtures.ts';
import { heading } from './page-helpers.ts';
import { onceOnly } from './tags.ts';

const host = 'bursar.test';

test('over plain HTTP on a host other than localhost, Login says what to do', onceOnly, async ({ environment }) => {
  const { port, hostname } = new URL(environment.first);
  const args = [...chromiumOptions.args, `--host-resolver-rules=MAP ${host} ${hostname}`];
  await using browser = await chromium.launch({ ...chromiumOptions, args });
  const page = await browser.newPage();
  await page.goto(`http://${host}:${port}/dashboard/tickets`);
  await fillLogin(page, demoSignIn);
  await expect(page.getByRole('alert').locator('p')).toHaveText([
    'Invalid username or password.',
    /^The password was accepted, but the browser discarded the session cookie .* Open it over https/,
  ]);
  await expect(heading(page, 'Login')).toBeVisible();
});

import type { Page } from '@playwright/test';
import { holdKeys } from '../server/src/core/keys.ts';
import { codeOf, readKey } from '../server/src/core/testing/authenticator-app.ts';
import { testConfig } from '../server/src/core/testing/config.ts';
import { startSessionsAgo } from '../server/src/core/testing/session.ts';
import { expect, fillLogin, test } from './fixtures.ts';
import { signInNewcomer } from './newcomer.ts';
import { withOwner } from './owner.ts';
import { heading, toast } from './page-helpers.ts';
import { inGateOnce, onceOnly } from './tags.ts';

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

test(
  'an authenticator app is set up, asked for at the next login, and removed',
  inGateOnce,
  async ({ page, visitor, watch }) => {
    watch.toleratesFailureOf('/api/');
    const account = await signInNewcomer(page, visitor);
    await visitor.goto('/dashboard/security');
    await visitor.getByRole('button', { name: 'Set up' }).click();
    const setup = dialog(visitor, 'Set up an authenticator app');
    await expect(setup.getByRole('img')).toBeVisible();
    const secret = readKey((await visitor.locator('.secret-key-text').textContent()) ?? '');
    await setup.getByLabel('Code').fill(codeOf(secret, 0));
    await setup.getByRole('button', { name: 'Turn on' }).click();
    const recovery = (await setup.getByRole('listitem').first().textContent()) ?? '';
    await setup.getByRole('button', { name: 'Done' }).click();
    await expect(visitor.getByText('10 codes left.')).toBeVisible();

    await visitor.goto('/dashboard');
    await visitor.evaluate(() => localStorage.removeItem('token'));
    await visitor.goto('/login');
    await fillLogin(visitor, account);
    await visitor.getByLabel('Code').fill(codeOf(secret, 1));
    await visitor.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(heading(visitor, 'Analytics')).toBeVisible();

    await visitor.goto('/dashboard/security');
    await visitor.getByRole('button', { name: 'Remove' }).click();
    const removal = dialog(visitor, 'Remove the authenticator app');
    await removal.getByLabel('Code').fill(recovery);
    await removal.getByRole('button', { name: 'Remove' }).click();
    await expect(toast(visitor, 'Authenticator app removed')).toBeVisible();
    await expect(visitor.getByRole('button', { name: 'Set up' })).toBeVisible();
  },
);

test(
  'after a while, an action asks for the password and is then done',
  onceOnly,
  async ({ page, visitor, environment, watch }) => {
    watch.toleratesFailureOf('/api/');
    const { username, password } = await signInNewcomer(page, visitor);
    await withOwner(environment, async ({ database }) => {
      const { id } = await database
        .selectFrom('admin')
        .select('id')
        .where('username', '=', username)
        .executeTakeFirstOrThrow();
      holdKeys(testConfig(environment.databaseUrl));
      await startSessionsAgo(database, id, 86_400_000);
    });
    await visitor.goto('/dashboard/manage-withdraw');
    const toggle = visitor.getByRole('switch', { name: 'Enable withdrawals' });
    const before = await toggle.isChecked();
    await toggle.click();
    const proof = dialog(visitor, "Confirm it's you");
    await proof.getByLabel('Password', { exact: true }).fill(password);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await expect(proof).toBeHidden();
    await expect(toggle).toBeChecked({ checked: !before });
    await toggle.click();
    await expect(toggle).toBeChecked({ checked: before });
  },
);

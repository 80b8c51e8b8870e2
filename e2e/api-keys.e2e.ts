import { expect, test } from './fixtures.ts';
import { approveNewest } from './page-helpers.ts';
import { inGateOnce } from './tags.ts';

test(
  'a key that moves money works once another Super Admin has approved it, and no longer when it is revoked',
  inGateOnce,
  async ({ page, visit }) => {
    await page.goto('/dashboard/integrations');
    await page.getByRole('button', { name: 'Create API key' }).click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await form.getByLabel('Name').fill('Production backend');
    await form.getByLabel('Record deposits').check();
    await form.getByRole('button', { name: 'Create API key' }).click();
    const secret = (await form.locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^bursar_/);
    await form.getByRole('button', { name: 'Done' }).click();

    const use = async () => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await page.request.get('/api/platform/key', { headers })).status();
    };
    expect(await use()).toBe(401);
    const colleague = await visit({ as: 'admin' });
    await colleague.goto('/dashboard/approvals');
    await approveNewest(colleague, 'key');
    expect(await use()).toBe(200);
    await expect(page.getByText('Active', { exact: true })).toBeVisible();

    await page.getByRole('link', { name: 'Production backend' }).click();
    const drawer = page.getByRole('dialog', { name: 'API key' });
    await drawer.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke API key' });
    await question.getByRole('button', { name: 'Revoke' }).click();
    await expect(drawer.getByText('Revoked', { exact: true })).toBeVisible();
    expect(await use()).toBe(401);
  },
);

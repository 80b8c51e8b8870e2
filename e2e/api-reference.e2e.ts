import { expect, test } from './fixtures.ts';
import { onceOnly } from './tags.ts';

test(
  'the API reference shows every call with its example and refusals, and asks no other host',
  onceOnly,
  async ({ freshPage: page }) => {
    const asked = new Set<string>();
    page.context().on('request', (request) => asked.add(new URL(request.url()).origin));
    await page.goto('/dashboard/integrations');
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'API reference' }).click();
    const reference = await opened;
    await expect(reference.getByRole('heading', { name: 'Bursar platform API' })).toBeVisible();

    const title = 'Add withdrawals that users request';
    await reference.getByRole('link', { name: title }).click();
    const call = reference.getByRole('region', { name: title });
    await expect(call.getByText('The API key needs the scope withdrawals:write.')).toBeVisible();
    await expect(call.getByText('withdrawal-88').first()).toBeVisible();
    await expect(call.getByText('WithdrawalsDisabled').first()).toBeVisible();

    // The watch of every test also fails on a violation of the content policy and on an error of the console.
    expect([...asked]).toEqual([new URL(page.url()).origin]);
  },
);

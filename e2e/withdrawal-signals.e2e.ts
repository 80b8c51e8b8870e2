import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { readUser } from './demo-users.ts';
import { callApi } from './page-helpers.ts';
import { onceOnly } from './tags.ts';

const address = '/dashboard/manage-withdraw';
const drawer = (page: Page) => page.getByRole('dialog');

type Row = { id: string; userUuid: string; signals: string[] };

async function ask(page: Page, query = '') {
  const { json } = await callApi(page, 'GET', { path: `/api/withdrawals?limit=100${query}` });
  return (json as { withdrawals: Row[] }).withdrawals;
}

test('each signal of a withdrawal is explained in a sentence', async ({ page }) => {
  await page.goto(address);
  const all = await ask(page);
  const marked = all.find(({ signals }) => signals.length > 1);
  await page.goto(`${address}?withdrawal=${marked?.id}`);
  await expect(drawer(page).locator('.signal-mark')).toHaveText(marked?.signals ?? []);
  for (const sentence of await drawer(page).locator('.signal-sentence').allTextContents()) {
    expect(sentence).toMatch(/^[A-Z].{20,}\.$/);
  }
  const plain = all.find(({ signals }) => signals.length === 0);
  await page.goto(`${address}?withdrawal=${plain?.id}`);
  await expect(drawer(page).getByText('No risk signals.')).toBeVisible();
});

test(
  'a sponsor who is then blacklisted appears in the signals of an open withdrawal',
  onceOnly,
  async ({ page, visit }) => {
    await page.goto('/dashboard');
    const { withdrawal, sponsor } = await withSponsor(page);
    await page.goto(`${address}?withdrawal=${withdrawal}`);
    await expect(drawer(page).getByRole('heading', { name: 'Signals' })).toBeVisible();
    const warned = drawer(page).getByText('The sponsor of this user is blacklisted.');
    await expect(warned).toHaveCount(0);
    const colleague = await visit({ as: 'tomasz.lind' });
    await colleague.goto('/dashboard');
    const setBlacklist = (blacklisted: boolean) =>
      callApi(colleague, 'POST', {
        path: `/api/users/${sponsor}/blacklist`,
        body: { blacklisted, reason: 'Tried' },
      });
    expect((await setBlacklist(true)).status).toBe(200);
    await expect(warned).toBeVisible({ timeout: 1_000 });
    expect((await setBlacklist(false)).status).toBe(200);
    await expect(warned).toHaveCount(0);
  },
);

/** Returns a withdrawal of a user with a sponsor who is not blacklisted. */
async function withSponsor(page: Page) {
  for (const { id, userUuid, signals } of await ask(page)) {
    const { referredBy } = await readUser(page, userUuid);
    const sponsor = referredBy as { id: string } | null;
    if (sponsor && !signals.includes('sponsor blacklisted')) return { withdrawal: id, sponsor: sponsor.id };
  }
  throw new Error('No user with a withdrawal has a sponsor.');
}

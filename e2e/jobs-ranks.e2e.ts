import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { callApi, heading } from './page-helpers.ts';
import { inGate } from './tags.ts';

const alert = (page: Page) => page.getByRole('alert');
const userId = (page: Page) => page.getByLabel('User ID');
const newRank = (page: Page) => page.getByLabel('New rank');
const reason = (page: Page) => page.getByLabel('Reason');
const promote = (page: Page) => page.getByRole('button', { name: 'Promote User' }).click();
const changes = (page: Page) => page.locator('.jobs-change');

async function openPromotion(page: Page) {
  await page.goto('/dashboard/settings/cronjobs/rank-promo');
  await expect(heading(page, 'Rank Promotion')).toBeVisible();
  await expect(userId(page)).toBeVisible();
}

type UserRow = { id: string; userId: string; username: string; rank: string };

/** Returns a demo user who does not have this rank. */
async function userWithoutRank(page: Page, rank: string) {
  const { users } = (await callApi(page, 'GET', { path: '/api/users?limit=100' })).json as { users: UserRow[] };
  for (const { id } of users) {
    const { user } = (await callApi(page, 'GET', { path: `/api/users/${id}` })).json as { user: UserRow };
    if (user.rank !== rank) return user;
  }
  throw new Error(`Everyone is ${rank}.`);
}

test(
  'a promotion changes the rank, says so, and appears in the list after a reload and immediately elsewhere',
  inGate,
  async ({ page, visit }) => {
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    const stream = colleague.waitForResponse('**/api/events');
    await openPromotion(colleague);
    await stream;
    await openPromotion(page);
    const user = await userWithoutRank(page, 'Gold');
    const why = `Sold the most in ${Date.now()}.`;
    await userId(page).fill(user.userId);
    await newRank(page).selectOption('Gold');
    await reason(page).fill(why);
    const answered = page.waitForResponse('**/api/users/promote');
    await promote(page);
    await answered;
    await expect(changes(colleague).first()).toContainText(why, { timeout: 1_000 });
    await expect(alert(page)).toHaveText(`${user.username} (${user.userId}) is now Gold.`);
    await expect(userId(page)).toHaveValue('');
    await page.reload();
    const first = changes(page).first();
    await expect(first).toContainText(user.username);
    await expect(first).toContainText(user.userId);
    await expect(first).toContainText(why);
    await expect(first).toContainText('ines.moreau, just now');
    await expect(first.locator('.jobs-step')).toHaveText(new RegExp(`^${user.rank} . Gold$`));
    const promoted = (await callApi(page, 'GET', { path: `/api/users/${user.id}` })).json as { user: UserRow };
    expect(promoted.user.rank).toBe('Gold');
  },
);

import type { Page } from '@playwright/test';
import { readUser } from './demo-users.ts';
import { expect, test } from './fixtures.ts';
import { approveNewest, callApi, heading } from './page-helpers.ts';
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
  'a promotion waits for a second approver, then changes the rank and appears in the list immediately and after a reload',
  inGate,
  async ({ page, visit }) => {
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    await openPromotion(colleague);
    const stream = page.waitForResponse('**/api/events');
    await openPromotion(page);
    await stream;
    const user = await userWithoutRank(page, 'Gold');
    const why = `Sold the most in ${Date.now()}.`;
    await userId(page).fill(user.userId);
    await newRank(page).selectOption('Gold');
    await reason(page).fill(why);
    await promote(page);
    await expect(alert(page)).toHaveText(
      `The promotion of ${user.username} (${user.userId}) to Gold was sent to a second approver.`,
    );
    await expect(userId(page)).toHaveValue('');
    await expect(changes(page).filter({ hasText: why })).toHaveCount(0);
    expect((await readUser(page, user.id))['rank']).toBe(user.rank);
    await approveNewest(colleague, 'promotion');
    await expect(changes(page).first()).toContainText(why, { timeout: 1_000 });
    await page.reload();
    const first = changes(page).first();
    await expect(first).toContainText(user.username);
    await expect(first).toContainText(user.userId);
    await expect(first).toContainText(why);
    await expect(first).toContainText('ines.moreau, approved by kenji.sato, just now');
    await expect(first.locator('.jobs-step')).toHaveText(new RegExp(`^${user.rank} . Gold$`));
    expect((await readUser(page, user.id))['rank']).toBe('Gold');
  },
);

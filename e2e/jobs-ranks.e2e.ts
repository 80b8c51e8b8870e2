import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { callApi, countCalls, heading, holdSending } from './pieces.ts';
import { inGate, onceOnly } from './tags.ts';

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

type Person = { id: string; userId: string; username: string; rank: string };

/** Somebody of the demo who does not hold that rank. */
async function somebodyBelow(page: Page, rank: string) {
  const { users } = (await callApi(page, 'GET', { path: '/api/users?limit=100' })).json as { users: Person[] };
  for (const { id } of users) {
    const { user } = (await callApi(page, 'GET', { path: `/api/users/${id}` })).json as { user: Person };
    if (user.rank !== rank) return user;
  }
  throw new Error(`Everyone is ${rank}.`);
}

test('a promotion asks for a user ID, a new rank that is Silver at first, and a reason', async ({ page }) => {
  await openPromotion(page);
  await expect(userId(page)).toHaveValue('');
  await expect(newRank(page)).toHaveValue('Silver');
  await expect(newRank(page).getByRole('option')).toHaveText(['Silver', 'Gold', 'Platinum']);
  const calls = countCalls(page, '/api/users/promote');
  await promote(page);
  await expect(page.getByText('Enter a user ID.')).toBeVisible();
  await expect(page.getByText('Give a reason of at least three characters.')).toBeVisible();
  await expect(userId(page)).toBeFocused();
  expect(calls()).toBe(0);
});

test('while a promotion travels nothing is typed that its answer would throw away', onceOnly, async ({ page }) => {
  await openPromotion(page);
  const person = await somebodyBelow(page, 'Silver');
  await userId(page).fill(person.userId);
  await reason(page).fill('Held on its way');
  const letGo = await holdSending(page, '/api/users/promote');
  await reason(page).press('Enter');
  for (const field of [userId(page), newRank(page), reason(page)]) await expect(field).toBeDisabled();
  letGo();
  await expect(alert(page)).toContainText('is now Silver.');
  await expect(reason(page)).toBeFocused();
});

test(
  'a promotion changes the rank, says so, and stands in the list after a reload and at once elsewhere',
  inGate,
  async ({ page, visit }) => {
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    const stream = colleague.waitForResponse('**/api/events');
    await openPromotion(colleague);
    await stream;
    await openPromotion(page);
    const person = await somebodyBelow(page, 'Gold');
    const why = `Sold the most in ${Date.now()}.`;
    await userId(page).fill(person.userId);
    await newRank(page).selectOption('Gold');
    await reason(page).fill(why);
    const answered = page.waitForResponse('**/api/users/promote');
    await promote(page);
    await answered;
    await expect(changes(colleague).first()).toContainText(why, { timeout: 1_000 });
    await expect(alert(page)).toHaveText(`${person.username} (${person.userId}) is now Gold.`);
    await expect(userId(page)).toHaveValue('');
    await page.reload();
    const first = changes(page).first();
    await expect(first).toContainText(person.username);
    await expect(first).toContainText(person.userId);
    await expect(first).toContainText(why);
    await expect(first).toContainText('ines.moreau, just now');
    await expect(first.locator('.jobs-step')).toHaveText(new RegExp(`^${person.rank} . Gold$`));
    const { user } = (await callApi(page, 'GET', { path: `/api/users/${person.id}` })).json as { user: Person };
    expect(user.rank).toBe('Gold');
  },
);

test(
  'a user who does not exist and a rank that is held already are told at their fields',
  onceOnly,
  async ({ page, watch }) => {
    watch.expectFailureOf('/api/users/promote');
    await openPromotion(page);
    await reason(page).fill('A good year.');
    await userId(page).fill('nobody-has-this');
    await promote(page);
    await expect(page.getByText('User not found.')).toBeVisible();
    await expect(userId(page)).toHaveAttribute('aria-invalid', 'true');

    const person = await somebodyBelow(page, 'Platinum');
    const body = { userId: person.userId, newRank: 'Platinum', reason: 'A test begins.' };
    expect((await callApi(page, 'POST', { path: '/api/users/promote', body })).status).toBe(200);
    await userId(page).fill(person.userId);
    await expect(page.getByText('User not found.')).toHaveCount(0);
    await newRank(page).selectOption('Platinum');
    await promote(page);
    await expect(page.getByText('This user holds that rank already.')).toBeVisible();
    await expect(newRank(page)).toHaveAttribute('aria-invalid', 'true');
  },
);

test('whose role does not allow it reads the changes and cannot promote', onceOnly, async ({ visit }) => {
  const page = await visit({ as: 'amara.osei' });
  await openPromotion(page);
  await expect(userId(page)).toBeDisabled();
  const button = page.getByRole('button', { name: 'Promote User' });
  await expect(button).toHaveAccessibleDescription('Your role does not allow this.');
});

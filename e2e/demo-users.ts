import { expect, type Page } from '@playwright/test';
import { callApi } from './page-helpers.ts';

type ListedUser = { id: string; userId: string; username: string };

/** Returns a demo user by position in the order of user IDs. Each test uses its own, so that tests do not interfere. */
export async function demoUser(page: Page, place: number): Promise<ListedUser & { address: string }> {
  if (page.url() === 'about:blank') await page.goto('/dashboard');
  const path = '/api/users?sort=userId&limit=100';
  const { json } = await callApi(page, 'GET', { path });
  const found = (json as { users: ListedUser[] }).users[place];
  if (!found) throw new Error(`There is nobody at place ${place}.`);
  return { ...found, address: `/dashboard/user-profile/${found.id}` };
}

export async function readUser(page: Page, id: string) {
  const { status, json } = await callApi(page, 'GET', { path: `/api/users/${id}` });
  expect(status).toBe(200);
  return (json as { user: Record<string, unknown> }).user;
}

/** The value of a labeled fact, for example in a profile. */
export const fact = (page: Page, name: string) =>
  page
    .locator('.fact')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
    .locator('dd');

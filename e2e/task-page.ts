import { expect, type Locator, type Page } from '@playwright/test';
import { demoUser } from './demo-users.ts';
import { callApi, freshName } from './page-helpers.ts';

export const tasksAddress = '/dashboard/manage-task';
export const taskRows = (page: Page) => page.locator('tbody tr[data-row]');
export const taskRow = (page: Page, title: string) => taskRows(page).filter({ hasText: title });
export const rewardToggle = (row: Locator) => row.getByRole('button', { name: /^(Reward|Revoke) task/ });

/** Clicks Reward and confirms it, as for a task that is not completed. */
export async function rewardActive(page: Page, row: Locator) {
  await rewardToggle(row).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reward', exact: true }).click();
}

export async function openTasks(page: Page, search = '') {
  await page.goto(`${tasksAddress}${search}`);
  await expect(taskRows(page).first()).toBeVisible();
  await expect(page.locator('table')).toHaveAttribute('aria-busy', 'false');
}

export async function addTask(page: Page, given: Record<string, string> = {}) {
  const { userId } = await demoUser(page, 3);
  const title = freshName('task');
  const written = { title, description: '', reward: '5.00', deadline: '2027-03-01', postUrl: 'https://example.com/1' };
  const body = { userId, ...written, ...given };
  const { status, json } = await callApi(page, 'POST', { path: '/api/tasks', body });
  expect(status).toBe(200);
  const { task } = json as { task: { id: string; version: number } };
  return { ...body, ...task };
}

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { fact, demoUser } from './demo-users.ts';
import { liftLimits, setLimit } from './owner.ts';
import { approveNewest, callApi, freshName, heading, isPhone, toast } from './page-helpers.ts';
import { addTask, openTasks, rewardActive, rewardToggle, taskRow, taskRows, tasksAddress } from './task-page.ts';
import { inGate, onceOnly } from './tags.ts';

const modal = (page: Page) => page.getByRole('dialog');

async function setRewarded(page: Page, { id, version }: { id: string; version: number }, rewarded: boolean) {
  const { status, json } = await callApi(page, 'POST', {
    path: `/api/tasks/${id}/rewarded`,
    body: { rewarded, version },
  });
  expect(status).toBe(200);
  return (json as { task: { id: string; version: number } }).task;
}

test('the tasks are shown with their columns, their total and a Create Task button', async ({ page }) => {
  const answered = page.waitForResponse('**/api/tasks?limit=1');
  await openTasks(page);
  const { total } = (await (await answered).json()) as { total: { count: number } };
  await expect(heading(page, 'Task Management')).toBeVisible();
  await expect(page.getByText(`${total.count} tasks`, { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create Task' })).toBeVisible();
  expect(isPhone(page) ? [] : await page.getByRole('columnheader').allTextContents()).toEqual(
    isPhone(page)
      ? []
      : ['Title', 'User', 'Post URL', 'Reward', 'Deadline', 'Status', 'Rewarded', 'Created', 'Actions'],
  );
});

test('the sample tasks of the specification are in the demo', onceOnly, async ({ page }) => {
  for (const title of ['Invite 5 friends', 'Connect wallet']) {
    await openTasks(page, `?search=${title.replaceAll(' ', '+')}`);
    await expect(taskRows(page).filter({ hasNotText: title })).toHaveCount(0);
  }
});

test('an empty list of tasks says so', onceOnly, async ({ page }) => {
  await page.goto(`${tasksAddress}?search=nothing+is+called+this`);
  await expect(page.getByText('No tasks available.', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filter' }).click();
  await expect(taskRows(page)).toHaveCount(25);
});

test('a task is created, edited, completed, rewarded and revoked, and the state survives a reload', async ({
  page,
}) => {
  const { userId, username } = await demoUser(page, 5);
  await openTasks(page);
  const title = freshName('life');
  await page.getByRole('button', { name: 'Create Task' }).click();
  await modal(page).getByLabel('Title').fill(title);
  await modal(page).getByLabel('User ID').fill(userId);
  await modal(page).getByLabel('Post URL').fill('https://example.com/post?a=1');
  await modal(page).getByLabel('Reward in dollars').fill('12.5');
  await modal(page).getByLabel('Deadline').fill('2027-02-14');
  await modal(page).getByLabel('Description').fill('Before Valentine’s day.');
  const created = page.waitForRequest((request) => request.method() === 'POST');
  await modal(page).getByRole('button', { name: 'Create Task' }).click();
  expect((await created).postDataJSON()).toEqual({
    title,
    userId,
    postUrl: 'https://example.com/post?a=1',
    reward: '12.50',
    deadline: '2027-02-14',
    description: 'Before Valentine’s day.',
  });
  await expect(modal(page)).toHaveCount(0);
  await expect(toast(page, 'Task created')).toBeVisible();
  const row = taskRows(page).first();
  for (const text of [title, username, '$12.50', '14 Feb 2027', 'Active']) await expect(row).toContainText(text);

  await row.getByRole('button', { name: `Edit task: ${title}` }).click();
  await expect(modal(page).getByRole('heading', { name: 'Edit Task' })).toBeVisible();
  await expect(modal(page).getByLabel('Reward in dollars')).toHaveValue('12.50');
  await modal(page).getByLabel('Reward in dollars').fill('20');
  await expect(modal(page).getByLabel('Status').locator('option')).toHaveText(['Active', 'Completed']);
  await modal(page).getByLabel('Status').selectOption('Completed');
  await modal(page).getByRole('button', { name: 'Save Task' }).click();
  await expect(modal(page)).toHaveCount(0);
  await expect(row).toContainText('$20.00');
  await expect(row).toContainText('Completed');

  await expect(rewardToggle(row)).toHaveText('Reward');
  await rewardToggle(row).click();
  await expect(rewardToggle(row)).toHaveText('Revoke');
  await expect(toast(page, '$20.00 paid to the user')).toBeVisible();
  await page.reload();
  await expect(rewardToggle(taskRow(page, title))).toHaveText('Revoke');
  await rewardToggle(taskRow(page, title)).click();
  await expect(toast(page, '$20.00 reversed')).toBeVisible();
  await expect(rewardToggle(taskRow(page, title))).toHaveText('Reward');
  await page.reload();
  await expect(rewardToggle(taskRow(page, title))).toHaveText('Reward');
});

test('a row opens its task with every field, and Reward marks it there', inGate, async ({ page }) => {
  const task = await addTask(page, { description: '<b>Bold</b> words' });
  await openTasks(page);
  await taskRow(page, task.title)
    .getByRole('link', { name: `View task: ${task.title}` })
    .click();
  await expect(modal(page).getByRole('heading', { name: task.title })).toBeVisible();
  await page.reload();
  await expect(modal(page).getByText('<b>Bold</b> words', { exact: true })).toBeVisible();
  await expect(fact(page, 'ID').getByRole('button')).toHaveAttribute('title', task.id);
  await expect(fact(page, 'User ID').getByRole('button')).toHaveAttribute('title', task.userId);
  await expect(fact(page, 'Reward')).toHaveText('$5.00');
  await expect(fact(page, 'Deadline')).toHaveText('1 Mar 2027');
  await expect(fact(page, 'Status')).toHaveText('Active');
  await expect(fact(page, 'Rewarded')).toHaveText('No');
  await expect(fact(page, 'Rewarded at')).toHaveCount(0);
  const link = fact(page, 'Post URL').getByRole('link');
  await expect(link).toHaveAttribute('href', 'https://example.com/1');
  await expect(link).toHaveAttribute('target', '_blank');
  await expect(link).toHaveAttribute('rel', /noopener.*noreferrer/);
  const rewarded = await setRewarded(page, task, true);
  await expect(fact(page, 'Rewarded')).toHaveText('Yes');
  await expect(fact(page, 'Rewarded at').locator('time')).toHaveText('just now');
  await setRewarded(page, rewarded, false);
  await expect(fact(page, 'Rewarded')).toHaveText('No');
  await expect(fact(page, 'Rewarded at')).toHaveCount(0);
});

test(
  'a reward above the limit is paid and revoked only after a second approval',
  onceOnly,
  async ({ page, visit, environment }) => {
    const { title } = await addTask(page, { reward: '1500.00' });
    await setLimit(environment, 'alone', 1_000);
    await openTasks(page);
    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto('/dashboard/approvals');
    for (const [before, after] of [
      ['Reward', 'Revoke'],
      ['Revoke', 'Reward'],
    ] as const) {
      const toggle = rewardToggle(taskRow(page, title));
      await expect(toggle).toHaveText(before);
      const answered = page.waitForResponse('**/rewarded');
      await (before === 'Reward' ? rewardActive(page, taskRow(page, title)) : toggle.click());
      await answered;
      await expect(toast(page, 'Sent to a second approver').last()).toBeVisible();
      await expect(toggle).toHaveText(before);
      await approveNewest(colleague, 'task');
      await expect(toggle).toHaveText(after);
    }
    await liftLimits(environment);
  },
);

test('tasks are searched by title, filtered by status and sorted, in the URL', onceOnly, async ({ page }) => {
  const { title } = await addTask(page);
  await openTasks(page);
  await page.getByRole('searchbox', { name: 'Search by title' }).fill(title.toUpperCase());
  await expect(taskRows(page)).toHaveCount(1);
  await expect(taskRows(page)).toContainText(title);
  await openTasks(page, '?status=Completed&sort=deadline');
  await expect(taskRows(page).filter({ hasNotText: 'Completed' })).toHaveCount(0);
  const { json } = await callApi(page, 'GET', { path: '/api/tasks?status=Completed&sort=deadline' });
  const { tasks } = json as { tasks: { id: string }[] };
  expect(await taskRows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')))).toEqual(
    tasks.map(({ id }) => id),
  );
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(taskRows(page).first()).not.toHaveAttribute('data-row', String(tasks[0]?.id));
});

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { callApi, openSidebar, stopClock, toast } from './page-helpers.ts';
import { addTask, openTasks, rewardActive, rewardToggle, taskRow, tasksAddress } from './task-page.ts';
import { onceOnly } from './tags.ts';

const modal = (page: Page) => page.getByRole('dialog');

test(
  'another administrator’s change to a task being edited is shown before anything is overwritten',
  onceOnly,
  async ({ freshPage: page, visit, watch }) => {
    const task = await addTask(page, { description: 'As it was' });
    const stream = page.waitForResponse('**/api/events');
    await openTasks(page);
    await stream;
    await taskRow(page, task.title).getByRole('button', { name: 'Edit task' }).click();
    await modal(page).getByLabel('Title').fill(`${task.title} mine`);
    const colleague = await visit({ as: 'tomasz.lind', server: 'second' });
    await colleague.goto(tasksAddress);
    const { id, version, userId, postUrl, deadline } = task;
    const theirs = { userId, postUrl, deadline, title: `${task.title} theirs`, description: 'New', reward: '7.00' };
    const body = { ...theirs, status: 'Active', version };
    const { letReadingTimePass } = await stopClock(page);
    expect((await callApi(colleague, 'PATCH', { path: `/api/tasks/${id}`, body })).status).toBe(200);
    await expect(modal(page).getByRole('alert')).toHaveText(
      'Someone else has just changed this task. Check the new values and save again.',
    );
    await expect(modal(page).getByText(`Changed to “${task.title} theirs” by someone else.`)).toBeVisible();
    await expect(modal(page).getByLabel('Reward in dollars')).toHaveValue('7.00');
    await expect(modal(page).getByLabel('Title')).toHaveValue(`${task.title} mine`);
    const save = modal(page).getByRole('button', { name: 'Save Task' });
    watch.expectFailureOf(`/api/tasks/${id}`);
    const refused = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await save.click();
    expect((await refused).status()).toBe(409);
    await letReadingTimePass();
    await save.click();
    await expect(modal(page)).toHaveCount(0);
    await expect(taskRow(page, `${task.title} mine`)).toContainText('$7.00');
  },
);

test(
  'another administrator’s reward appears immediately; of two concurrent rewards the second is refused',
  onceOnly,
  async ({ page, visit, watch }) => {
    const task = await addTask(page);
    const colleague = await visit({ as: 'tomasz.lind', server: 'second' });
    for (const one of [page, colleague]) {
      const stream = one.waitForResponse('**/api/events');
      await openTasks(one);
      await stream;
    }
    const row = (one: Page) => taskRow(one, task.title);
    await rewardActive(colleague, row(colleague));
    await expect(rewardToggle(row(colleague))).toHaveText('Revoke');
    await expect(rewardToggle(row(page))).toHaveText('Revoke', { timeout: 1_000 });

    // Both calls are sent before either browser can see the other's change.
    watch.expectFailureOf(`/api/tasks/${task.id}/rewarded`);
    let waiting = 2;
    const { promise: both, resolve } = Promise.withResolvers<void>();
    for (const one of [page, colleague]) {
      await one.route('**/rewarded', async (route) => {
        waiting -= 1;
        if (waiting === 0) resolve();
        await both;
        await route.continue();
      });
    }
    const answers = [page, colleague].map((one) => one.waitForResponse('**/rewarded'));
    await Promise.all([page, colleague].map((one) => rewardToggle(row(one)).click()));
    const codes = (await Promise.all(answers)).map((answer) => answer.status());
    expect(codes.toSorted((a, b) => a - b)).toEqual([200, 409]);
    const [refused] = [page, colleague].filter((_, index) => codes[index] === 409);
    await expect(toast(refused ?? page, 'Someone else has just done this.')).toBeVisible();
    for (const one of [page, colleague]) await expect(rewardToggle(row(one))).toHaveText('Reward');
  },
);

test('a followed task is marked in this browser under its key until it is unfollowed', onceOnly, async ({ page }) => {
  const task = await addTask(page);
  await openTasks(page);
  const star = taskRow(page, task.title).getByRole('button', { name: `Follow task: ${task.title}` });
  const kept = () => page.evaluate((key) => localStorage.getItem(key), `followed-task-${task.id}`);
  await expect(star).toHaveAttribute('aria-pressed', 'false');
  await star.click();
  await expect(star).toHaveAttribute('aria-pressed', 'true');
  expect(await kept()).not.toBeNull();
  await page.reload();
  await expect(star).toHaveAttribute('aria-pressed', 'true');
  await star.click();
  await expect(star).toHaveAttribute('aria-pressed', 'false');
  expect(await kept()).toBeNull();
});

test('Logout removes the marks of followed tasks', onceOnly, async ({ visitor, page, environment }) => {
  const task = await addTask(page);
  await visitor.goto(`${environment.first}/login`);
  await visitor.getByLabel('Username').fill('admin');
  await visitor.getByLabel('Password', { exact: true }).fill('welcome-to-bursar');
  await visitor.getByRole('button', { name: 'Login' }).click();
  await visitor.waitForURL('**/dashboard');
  await openTasks(visitor);
  await taskRow(visitor, task.title).getByRole('button', { name: 'Follow task' }).click();
  const keys = () =>
    visitor.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('followed-task-')));
  expect(await keys()).toEqual([`followed-task-${task.id}`]);
  await (await openSidebar(visitor)).getByRole('button', { name: 'Logout' }).click();
  await visitor.waitForURL('**/login');
  expect(await keys()).toEqual([]);
});

import { changeTask, createTask } from 'contract/tasks.ts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { button, dialog, expectDisabledBecause, expectNone, tryToLeave } from '#panel/testing/screen.ts';
import { callsTo, hold, refuse } from '#panel/testing/server.ts';
import { answerTasks, task } from '#panel/testing/task-answers.ts';

const field = (label: string) => dialog().getByLabelText(label);
const editButton = () => page.getByRole('button', { name: 'Edit task' });

function openTasks(tasks = [task()], as = adminWith(null)) {
  answerTasks(tasks, as);
  visitSignedIn('/dashboard/manage-task');
}

test('the form has a URL field, a numeric reward and a date, and does not send invalid input', async () => {
  openTasks();
  await button('Create Task').click();
  await expect.element(dialog().getByRole('heading', { name: 'Create Task' })).toBeVisible();
  await expect.element(field('Post URL')).toHaveAttribute('type', 'url');
  await expect.element(field('Reward in dollars')).toHaveAttribute('type', 'number');
  await expect.element(field('Deadline')).toHaveAttribute('type', 'date');
  await expectNone(field('Status'));
  await dialog().getByRole('button', { name: 'Create Task' }).click();
  for (const [label, text] of [
    ['Title', 'Enter a title.'],
    ['User ID', 'Enter the ID of a user.'],
    ['Post URL', 'Enter a web address.'],
    ['Reward in dollars', 'Enter a reward.'],
    ['Deadline', 'Choose a day.'],
  ] as const) {
    await expect.element(field(label)).toHaveAttribute('aria-invalid', 'true');
    await expect.element(dialog().getByText(text, { exact: true })).toBeVisible();
  }
  await expectAccessible();
  for (const [label, wrong] of [
    ['Post URL', 'javascript:alert(1)'],
    ['Post URL', 'example'],
    ['Reward in dollars', '0'],
    ['Reward in dollars', '-5'],
    ['Reward in dollars', '1000001'],
  ] as const) {
    await field(label).fill(wrong);
    await expect.element(field(label)).toHaveAttribute('aria-invalid', 'true');
  }
  await field('Post URL').fill('https://example.com');
  await expect.element(field('Post URL')).not.toHaveAttribute('aria-invalid', 'true');
  expect(callsTo(createTask)).toEqual([]);
});

test('a rewarded task cannot be edited and shows why', async () => {
  openTasks([task({ rewarded: true, rewardedAt: new Date() })]);
  await expectDisabledBecause(editButton(), 'This task has been rewarded. Revoke the reward to change it.');
  await userEvent.keyboard('{Enter}');
  await expectNone(dialog());
});

test('an unknown user is reported at the user field', async () => {
  openTasks();
  refuse(changeTask, 'UserNotFound');
  await editButton().click();
  await field('User ID').fill('U-nobody');
  await button('Save Task').click();
  await expect.element(dialog().getByText('User not found.', { exact: true })).toBeVisible();
  await expect.element(field('User ID')).toHaveAttribute('aria-invalid', 'true');
});

test('a form that is being saved stays open until it shows the response', async () => {
  openTasks();
  refuse(changeTask, 'UserNotFound');
  await editButton().click();
  await field('User ID').fill('U-nobody');
  const release = hold(changeTask);
  await button('Save Task').click();
  await tryToLeave();
  release();
  await expect.element(dialog().getByText('User not found.', { exact: true })).toBeVisible();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await expectNone(dialog());
});

test('an admin without permission to write tasks can only view and follow them', async () => {
  openTasks([task()], adminWith('Finance'));
  await expectDisabledBecause(button('Create Task'), 'Your role does not allow this.');
  await expect.element(editButton()).toHaveAttribute('aria-disabled', 'true');
  await expect.element(page.getByRole('button', { name: 'Reward task' })).toHaveAttribute('aria-disabled', 'true');
  const follow = page.getByRole('button', { name: 'Follow task' });
  await follow.click();
  await expect.element(follow).toHaveAttribute('aria-pressed', 'true');
});

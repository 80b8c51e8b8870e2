import { listStakes } from 'contract/staking.ts';
import { listTasks } from 'contract/tasks.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { visitSignedIn } from '#panel/testing/app.ts';
import { onePage } from '#panel/testing/list-answers.ts';
import { answer } from '#panel/testing/server.ts';
import { answerStaking, stake } from '#panel/testing/staking-answers.ts';
import { answerTasks, task } from '#panel/testing/task-answers.ts';
import { answerUsers, user } from '#panel/testing/user-answers.ts';

/** The tone in which the table shows a status. */
async function toneOf(status: string) {
  const cell = page.getByRole('table').getByText(status, { exact: true });
  await expect.element(cell).toBeVisible();
  return cell.element().getAttribute('data-tone');
}

async function expectTonesOfLife() {
  expect(await toneOf('Active')).toBe('good');
  expect(await toneOf('Completed')).toBe('quiet');
}

const stakes = [stake(), stake({ status: 'Completed' })];
const tasks = [task(), task({ status: 'Completed' })];

test('a completed stake differs from an active one in its tone', async () => {
  answerStaking({ stakes });
  visitSignedIn('/dashboard/manage-staking');
  await expectTonesOfLife();
});

test('a completed task differs from an active one in its tone', async () => {
  answerTasks(tasks);
  visitSignedIn('/dashboard/manage-task');
  await expectTonesOfLife();
});

test('stakes and tasks have the same tones on the profile of their user', async () => {
  const opened = user();
  answerUsers([opened]);
  answer(listStakes, { stakes, ...onePage(stakes) });
  answer(listTasks, { tasks, ...onePage(tasks) });
  for (const tab of ['stakes', 'tasks']) {
    visitSignedIn(`/dashboard/user-profile/${opened.id}?tab=${tab}`);
    await expectTonesOfLife();
  }
});

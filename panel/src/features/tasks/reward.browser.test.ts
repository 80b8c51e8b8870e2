import { setRewarded } from 'contract/tasks.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { visitSignedIn } from '#panel/testing/app.ts';
import { reduceMotion } from '#panel/testing/motion.ts';
import { dialog, expectDisabledBecause, expectNone, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, refuse } from '#panel/testing/server.ts';
import { answerTasks, task } from '#panel/testing/task-answers.ts';

const reward = () => page.getByRole('button', { name: 'Reward task' });
const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });

function openTask(given: Parameters<typeof task>[0]) {
  const one = task(given);
  answerTasks([one]);
  answer(setRewarded, () => ({ task: { ...one, rewarded: true, rewardedAt: new Date(), version: 2 } }));
  visitSignedIn('/dashboard/manage-task');
}

test.each([
  ['isUserBlacklisted', 'This user is blacklisted. Remove the user from the blacklist to pay the reward.'],
  ['isUserDeleted', 'This user was deleted, so no reward can be paid.'],
] as const)('Reward is disabled and says why: %s', async (mark, text) => {
  openTask({ [mark]: true, status: 'Completed' });
  await expectDisabledBecause(reward(), text);
});

test('a paid reward of a blacklisted user can be revoked', async () => {
  openTask({ isUserBlacklisted: true, rewarded: true, rewardedAt: new Date() });
  await page.getByRole('button', { name: 'Revoke task' }).click();
  await expect.poll(() => callsTo(setRewarded)).toMatchObject([{ body: { rewarded: false } }]);
});

test('a completed task is rewarded without a question', async () => {
  openTask({ status: 'Completed' });
  await reward().click();
  await expect.element(toast('$25.00 paid to the user')).toBeVisible();
  await expectNone(dialog());
});

test.each([
  ['2999-12-31', '“Write about staking” is not completed yet.'],
  ['2026-01-02', '“Write about staking” is overdue: its deadline was 2 Jan 2026, and it is not completed.'],
])('an active task with the deadline %s is rewarded after a confirmation', async (deadline, text) => {
  await reduceMotion();
  openTask({ deadline });
  await reward().click();
  await expect.element(dialog()).toMatchTextContent('Pay $25.00 to milancosta?');
  await expect.element(dialog()).toMatchTextContent(text);
  await expectAccessible();
  await inDialog('Cancel').click();
  await expectNone(dialog());
  expect(callsTo(setRewarded)).toEqual([]);
  await reward().click();
  await inDialog('Reward').click();
  await expect.element(toast('$25.00 paid to the user')).toBeVisible();
  await expectNone(dialog());
  expect(callsTo(setRewarded)).toMatchObject([{ body: { rewarded: true, version: 1 } }]);
});

test('a refused reward closes the question and is reported', async () => {
  openTask({});
  refuse(setRewarded, 'TreasuryTooLow');
  await reward().click();
  await inDialog('Reward').click();
  await expect.element(toast('The treasury does not have enough unreserved funds.')).toBeVisible();
  await expectNone(dialog());
});

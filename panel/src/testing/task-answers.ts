import { listTasks, readTask, type Task } from 'contract/tasks.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';

export const task = (given: Partial<Task> = {}): Task => ({
  id: freshId(),
  userId: '100007',
  username: 'milancosta',
  userUuid: freshId(),
  isUserBlacklisted: false,
  isUserDeleted: false,
  postUrl: 'https://example.com/post/1',
  title: 'Write about staking',
  description: 'A thread of five posts.',
  reward: 25_000_000n,
  deadline: '2026-12-31',
  status: 'Active',
  rewarded: false,
  rewardedAt: null,
  waitsUntil: null,
  createdAt: longAgo,
  version: 1,
  ...given,
});

export function answerTasks(tasks: readonly Task[], admin?: Admin) {
  answerFrame(admin);
  answer(listTasks, () => ({ tasks: [...tasks], ...onePage(tasks) }));
  answer(readTask, ({ params }) => ({ task: tasks.find(({ id }) => id === params.id) ?? task({ id: params.id }) }));
}

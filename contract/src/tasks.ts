import { z } from 'zod';
import { Day, endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { amount } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery, Search } from './core/paging.ts';

export type TaskStatus = z.output<typeof TaskStatus>;
export const TaskStatus = z.enum(['Active', 'Completed']);

export type Task = z.output<typeof Task>;
export const Task = z.object({
  id: z.uuid(),
  /** The user number of the owner. */
  userId: z.string(),
  username: z.string(),
  /** The id of the owner, for the link to the profile. */
  userUuid: z.uuid(),
  isUserBlacklisted: z.boolean(),
  isUserDeleted: z.boolean(),
  postUrl: z.string(),
  title: z.string(),
  description: z.string(),
  reward: amount('USD'),
  deadline: Day,
  status: TaskStatus,
  rewarded: z.boolean(),
  rewardedAt: Timestamp.nullable(),
  /** When the pending approval of its reward expires. */
  waitsUntil: Timestamp.nullable(),
  createdAt: Timestamp,
  /** Sent back with a change, so that it cannot overwrite a change that its author has not seen. */
  version: z.int(),
});

export type TaskSort = z.output<typeof TaskSort>;
export const TaskSort = z.enum(['-createdAt', 'createdAt', 'deadline', '-deadline', 'reward', '-reward']);

const TaskNotFound = 'This task no longer exists.';
const UserNotFound = 'User not found.';
const TaskConflict = 'Someone else has just changed this task. Check the new values and save again.';
const TaskId = z.strictObject({ id: z.uuid() });

/** The fields of the form. The reward is more than 0 and at most 1,000,000 dollars. */
const taskForm = {
  userId: z.string().trim().min(1).max(64),
  postUrl: z.url({ protocol: /^https?$/ }).max(2_000),
  title: z.string().trim().min(1).max(200),
  description: z.string().trim().max(5_000),
  reward: amount('USD').refine(
    (units) => units > 0n && units <= 1_000_000_000_000n,
    rule('must be from 0.000001 to 1,000,000'),
  ),
  deadline: Day,
};

export const listTasks = endpoint({
  feature: 'tasks',
  method: 'GET',
  url: '/api/tasks',
  access: 'platform.read',
  summary: 'List tasks a page at a time, newest first unless sorted otherwise',
  querystring: z.strictObject({
    ...pageQuery,
    status: TaskStatus.optional(),
    /** Part of the title. */
    search: Search.optional(),
    user: z.uuid().optional(),
    sort: TaskSort.optional(),
  }),
  answer: z.object({ tasks: z.array(Task), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const readTask = endpoint({
  feature: 'tasks',
  method: 'GET',
  url: '/api/tasks/:id',
  access: 'platform.read',
  summary: 'Read one task',
  params: TaskId,
  answer: z.object({ task: Task }),
  refusals: { 404: { TaskNotFound } },
});

export const createTask = endpoint({
  feature: 'tasks',
  method: 'POST',
  url: '/api/tasks',
  access: 'tasks.write',
  summary: 'Create a task for a user',
  body: z.strictObject(taskForm),
  answer: z.object({ task: Task }),
  refusals: { 404: { UserNotFound } },
});

/** Returns why a task cannot be changed: a rewarded task must stay as it was when it was paid. */
export function refuseTaskChange({ rewarded }: Pick<Task, 'rewarded'>) {
  return rewarded ? 'TaskRewarded' : undefined;
}

export const changeTask = endpoint({
  feature: 'tasks',
  method: 'PATCH',
  url: '/api/tasks/:id',
  access: 'tasks.write',
  summary: 'Change a task that has not been rewarded',
  params: TaskId,
  body: z.strictObject({ ...taskForm, status: TaskStatus, version: z.int() }),
  answer: z.object({ task: Task }),
  refusals: {
    404: { TaskNotFound, UserNotFound },
    409: { TaskConflict, TaskRewarded: 'This task has been rewarded. Revoke the reward to change it.' },
  },
});

type RewardState = Pick<Task, 'rewarded' | 'isUserBlacklisted' | 'isUserDeleted'>;

/** Returns why a reward cannot be paid. A reward can always be revoked. */
export function refuseReward({ rewarded, isUserBlacklisted, isUserDeleted }: RewardState) {
  if (rewarded) return undefined;
  if (isUserDeleted) return 'UserDeleted';
  return isUserBlacklisted ? 'UserBlacklisted' : undefined;
}

/** Whether a reward needs a confirmation: it would be paid for a task that is not completed, perhaps never in time. */
export const needsConfirmation = ({ rewarded, status }: Pick<Task, 'rewarded' | 'status'>) =>
  !rewarded && status === 'Active';

export const setRewarded = endpoint({
  feature: 'tasks',
  movesMoney: true,
  method: 'POST',
  url: '/api/tasks/:id/rewarded',
  access: 'tasks.write',
  summary: 'Pay the reward of a task to its user or reverse it; above the limit, request an approval',
  params: TaskId,
  body: z.strictObject({ rewarded: z.boolean(), version: z.int() }),
  answer: z.object({ task: Task }),
  refusals: {
    404: { TaskNotFound },
    409: {
      RewardUnchanged: 'Someone else has just done this.',
      TaskConflict: 'Someone else has just changed this task. Check the new values first.',
      ApprovalWaiting: 'The reward of this task is already waiting for a second approver.',
      UserDeleted: 'This user was deleted, so no reward can be paid.',
      UserBlacklisted: 'This user is blacklisted. Remove the user from the blacklist to pay the reward.',
      BalanceTooLow: 'The user has already spent the reward.',
      TreasuryTooLow: 'The treasury does not have enough unreserved funds.',
    },
  },
});

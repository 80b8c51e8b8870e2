import type { Task } from '#server/core/queue/queue.ts';
import { type SendDeps, sendDue } from './send.ts';
import { sendTask } from './task-names.ts';

/** The number of webhooks to which a process sends concurrently. */
const webhooksAtOnce = 4;

export const webhookTasks = (deps: SendDeps): Task[] => [
  { ...sendTask, atOnce: webhooksAtOnce, run: (id, signal) => sendDue(deps, id, signal) },
];

import { readAdmin } from 'contract/admins.ts';
import type { Endpoint } from 'contract/core/endpoint.ts';
import { readMaintenance } from 'contract/maintenance.ts';
import { readTree } from 'contract/referrals.ts';
import { readSettings } from 'contract/settings.ts';
import { listPlans, readStake } from 'contract/staking.ts';
import { readTask } from 'contract/tasks.ts';
import { listRankChanges, readUser } from 'contract/users.ts';
import { readWithdrawal, readWithdrawalSwitch } from 'contract/withdrawals.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { adminRow, answerAdmins } from '#panel/testing/admin-answers.ts';
import { answerFrame, visitSignedIn } from '#panel/testing/app.ts';
import { answerJobs } from '#panel/testing/job-answers.ts';
import { anyToast, expectNone, toast } from '#panel/testing/screen.ts';
import { callsTo, emit, fault, restore } from '#panel/testing/server.ts';
import { answerStaking, stake } from '#panel/testing/staking-answers.ts';
import { answerTasks, task } from '#panel/testing/task-answers.ts';
import { answerTickets } from '#panel/testing/ticket-answers.ts';
import { answerUsers, user } from '#panel/testing/user-answers.ts';
import { answerWithdrawals, withdrawal } from '#panel/testing/withdrawal-answers.ts';
import { readStakePayout } from 'contract/jobs-stake-payout.ts';

type Screen = {
  words: string;
  call: Endpoint;
  /** Answers what the screen asks for, and says where it is. */
  prepare: () => string;
  open?: () => Promise<void>;
};

const maintenanceText = 'The maintenance mode could not be loaded.';

const job = (page: string) => () => {
  answerJobs();
  return `/dashboard/settings/cronjobs/${page}`;
};

/** What a screen that is no list shows of a record, and what it says when a refresh of it fails. */
const screens: Record<string, Screen> = {
  Maintenance: { words: maintenanceText, call: readMaintenance, prepare: frame('/dashboard/maintenance') },
  'the maintenance mark': {
    words: maintenanceText,
    call: readMaintenance,
    prepare: () => {
      answerTickets([]);
      return '/dashboard/tickets';
    },
  },
  Settings: { words: 'Your settings could not be loaded.', call: readSettings, prepare: frame('/dashboard/settings') },
  'a job': { words: 'The settings could not be loaded.', call: readStakePayout, prepare: job('stake-payout') },
  'the report on the tree': {
    words: 'The last report could not be loaded.',
    call: readTree,
    prepare: job('referral-check'),
  },
  'the latest rank changes': {
    words: 'The changes could not be loaded.',
    call: listRankChanges,
    prepare: job('rank-promo'),
  },
  'the withdrawal settings': {
    words: 'Failed to fetch the withdrawal setting',
    call: readWithdrawalSwitch,
    prepare: () => {
      answerWithdrawals([]);
      return '/dashboard/manage-withdraw';
    },
  },
  'the plans': {
    words: 'Failed to fetch the plans',
    call: listPlans,
    prepare: () => {
      answerStaking();
      return '/dashboard/manage-staking';
    },
  },
  'a withdrawal': {
    words: 'Failed to fetch the withdrawal',
    call: readWithdrawal,
    prepare: () => {
      const opened = withdrawal();
      answerWithdrawals([opened]);
      return `/dashboard/manage-withdraw?withdrawal=${opened.id}`;
    },
  },
  'a stake': {
    words: 'Failed to fetch the stake',
    call: readStake,
    prepare: () => {
      const opened = stake();
      answerStaking({ stakes: [opened] });
      return `/dashboard/manage-staking?stake=${opened.id}`;
    },
  },
  'a task': {
    words: 'Failed to fetch the task',
    call: readTask,
    prepare: () => {
      const opened = task();
      answerTasks([opened]);
      return `/dashboard/manage-task?task=${opened.id}`;
    },
  },
  'the form of a task': {
    words: 'Failed to fetch the task',
    call: readTask,
    prepare: () => {
      answerTasks([task()]);
      return '/dashboard/manage-task';
    },
    open: () => page.getByRole('button', { name: 'Edit task' }).click(),
  },
  'a User Profile': {
    words: 'The user could not be loaded.',
    call: readUser,
    prepare: () => {
      const opened = user();
      answerUsers([opened]);
      return `/dashboard/user-profile/${opened.id}`;
    },
  },
  'an Admin Profile': {
    words: 'The administrator could not be loaded.',
    call: readAdmin,
    prepare: () => {
      const opened = adminRow();
      answerAdmins([opened]);
      return `/dashboard/admin-profile/${opened.id}`;
    },
  },
};

function frame(address: string) {
  return () => {
    answerFrame();
    return address;
  };
}

for (const [name, { words, call, prepare, open }] of Object.entries(screens)) {
  test(`a failed refresh of ${name} is reported once, and withdrawn when it succeeds`, async () => {
    const address = prepare();
    visitSignedIn(address);
    await open?.();
    await expect.poll(() => callsTo(call)).not.toHaveLength(0);
    await expectNone(anyToast());
    fault(call);
    // Something was lost on the way: the panel asks for everything again.
    emit('events');
    await expect.element(toast(words)).toBeVisible();
    await expect.poll(() => anyToast().elements()).toHaveLength(1);
    restore(call);
    // Once more, and nobody presses Retry.
    emit('events');
    await expectNone(anyToast());
  });
}

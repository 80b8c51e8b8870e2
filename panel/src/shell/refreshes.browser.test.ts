import { readAdmin } from 'contract/admins.ts';
import type { Endpoint } from 'contract/core/endpoint.ts';
import { readMaintenance } from 'contract/maintenance.ts';
import { readTree } from 'contract/referrals.ts';
import { readSettings } from 'contract/settings.ts';
import { listPlans, readStake } from 'contract/staking.ts';
import { readTask } from 'contract/tasks.ts';
import { readUser } from 'contract/users.ts';
import { listRankChanges } from 'contract/users-ranks.ts';
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
  message: string;
  call: Endpoint;
  /** Prepares the responses that the screen needs, and returns its path. */
  prepare: () => string;
  open?: () => Promise<void>;
};

const maintenanceText = 'The maintenance mode could not be loaded.';

const job = (page: string) => () => {
  answerJobs();
  return `/dashboard/settings/cronjobs/${page}`;
};

/** Screens that show a record rather than a list, and the text they show when a refresh of it fails. */
const screens: Record<string, Screen> = {
  Maintenance: { message: maintenanceText, call: readMaintenance, prepare: frame('/dashboard/maintenance') },
  'the maintenance mark': {
    message: maintenanceText,
    call: readMaintenance,
    prepare: () => {
      answerTickets([]);
      return '/dashboard/tickets';
    },
  },
  Settings: {
    message: 'Your settings could not be loaded.',
    call: readSettings,
    prepare: frame('/dashboard/settings'),
  },
  'a job': { message: 'The settings could not be loaded.', call: readStakePayout, prepare: job('stake-payout') },
  'the report on the tree': {
    message: 'The last report could not be loaded.',
    call: readTree,
    prepare: job('referral-check'),
  },
  'the latest rank changes': {
    message: 'The changes could not be loaded.',
    call: listRankChanges,
    prepare: job('rank-promo'),
  },
  'the withdrawal settings': {
    message: 'Failed to fetch the withdrawal setting',
    call: readWithdrawalSwitch,
    prepare: () => {
      answerWithdrawals([]);
      return '/dashboard/manage-withdraw';
    },
  },
  'the plans': {
    message: 'Failed to fetch the plans',
    call: listPlans,
    prepare: () => {
      answerStaking();
      return '/dashboard/manage-staking';
    },
  },
  'a withdrawal': {
    message: 'Failed to fetch the withdrawal',
    call: readWithdrawal,
    prepare: () => {
      const opened = withdrawal();
      answerWithdrawals([opened]);
      return `/dashboard/manage-withdraw?withdrawal=${opened.id}`;
    },
  },
  'a stake': {
    message: 'Failed to fetch the stake',
    call: readStake,
    prepare: () => {
      const opened = stake();
      answerStaking({ stakes: [opened] });
      return `/dashboard/manage-staking?stake=${opened.id}`;
    },
  },
  'a task': {
    message: 'Failed to fetch the task',
    call: readTask,
    prepare: () => {
      const opened = task();
      answerTasks([opened]);
      return `/dashboard/manage-task?task=${opened.id}`;
    },
  },
  'the form of a task': {
    message: 'Failed to fetch the task',
    call: readTask,
    prepare: () => {
      answerTasks([task()]);
      return '/dashboard/manage-task';
    },
    open: () => page.getByRole('button', { name: 'Edit task' }).click(),
  },
  'a User Profile': {
    message: 'The user could not be loaded.',
    call: readUser,
    prepare: () => {
      const opened = user();
      answerUsers([opened]);
      return `/dashboard/user-profile/${opened.id}`;
    },
  },
  'an Admin Profile': {
    message: 'The administrator could not be loaded.',
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

for (const [name, { message, call, prepare, open }] of Object.entries(screens)) {
  test(`a failed refresh of ${name} is reported once, until a refresh succeeds`, async () => {
    const address = prepare();
    visitSignedIn(address);
    await open?.();
    await expect.poll(() => callsTo(call)).not.toHaveLength(0);
    await expectNone(anyToast());
    fault(call);
    // Events were lost, so the panel refetches everything.
    emit('events');
    await expect.element(toast(message)).toBeVisible();
    await expect.poll(() => anyToast().elements()).toHaveLength(1);
    restore(call);
    // The panel refetches again, without a press on Retry.
    emit('events');
    await expectNone(anyToast());
  });
}

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { person } from './people.ts';
import { addAdmin, answerFault, anyToast, callApi, freshName, holdLiveUpdates, toast } from './pieces.ts';
import { addTask, taskRow } from './task-pieces.ts';
import { desktopOnly } from './tags.ts';

type Screen = { address: string; call: string; open?: (page: Page) => Promise<void> };

/** What a screen that is no list shows of a record, and what it says when that could not be asked for anew. */
const screens: Record<string, { words: string; find: (page: Page) => Promise<Screen> }> = {
  Maintenance: {
    words: 'The maintenance mode could not be loaded.',
    find: async () => ({ address: '/dashboard/maintenance', call: '/api/maintenance' }),
  },
  'the mark of maintenance': {
    words: 'The maintenance mode could not be loaded.',
    find: async () => ({ address: '/dashboard/tickets', call: '/api/maintenance' }),
  },
  Settings: {
    words: 'Your settings could not be loaded.',
    find: async () => ({ address: '/dashboard/settings', call: '/api/settings' }),
  },
  'a job': {
    words: 'The settings could not be loaded.',
    find: async () => ({ address: '/dashboard/settings/cronjobs/stake-payout', call: '/api/jobs/stake-payout' }),
  },
  'the report on the tree': {
    words: 'The last report could not be loaded.',
    find: async () => ({ address: '/dashboard/settings/cronjobs/referral-check', call: '/api/referrals/reports' }),
  },
  'the latest rank changes': {
    words: 'The changes could not be loaded.',
    find: async () => ({ address: '/dashboard/settings/cronjobs/rank-promo', call: '/api/users/rank-changes' }),
  },
  'the withdrawal settings': {
    words: 'Failed to fetch the withdrawal setting',
    find: async () => ({ address: '/dashboard/manage-withdraw', call: '/api/withdrawals/switch' }),
  },
  'the plans': {
    words: 'Failed to fetch the plans',
    find: async () => ({ address: '/dashboard/manage-staking', call: '/api/staking/plans' }),
  },
  'a withdrawal': {
    words: 'Failed to fetch the withdrawal',
    find: async (page) => {
      const id = await firstOf(page, 'withdrawals');
      return { address: `/dashboard/manage-withdraw?withdrawal=${id}`, call: `/api/withdrawals/${id}` };
    },
  },
  'a stake': {
    words: 'Failed to fetch the stake',
    find: async (page) => {
      const id = await firstOf(page, 'stakes');
      return { address: `/dashboard/manage-staking?stake=${id}`, call: `/api/staking/${id}` };
    },
  },
  'a task': {
    words: 'Failed to fetch the task',
    find: async (page) => {
      const { id } = await addTask(page);
      return { address: `/dashboard/manage-task?task=${id}`, call: `/api/tasks/${id}` };
    },
  },
  'the form of a task': {
    words: 'Failed to fetch the task',
    find: async (page) => {
      const { id, title } = await addTask(page);
      const open = (shown: Page) => taskRow(shown, title).getByRole('button', { name: 'Edit task' }).click();
      return { address: '/dashboard/manage-task', call: `/api/tasks/${id}`, open };
    },
  },
  'a User Profile': {
    words: 'The user could not be loaded.',
    find: async (page) => {
      const { id, address } = await person(page, 2);
      return { address, call: `/api/users/${id}` };
    },
  },
  'an Admin Profile': {
    words: 'The administrator could not be loaded.',
    find: async (page) => {
      const id = await addAdmin(page, { username: freshName('refreshed') });
      return { address: `/dashboard/admin-profile/${id}`, call: `/api/admin/${id}` };
    },
  },
};

async function firstOf(page: Page, rows: 'withdrawals' | 'stakes') {
  const path = rows === 'stakes' ? '/api/staking' : '/api/withdrawals';
  const { json } = await callApi(page, 'GET', { path: `${path}?limit=1` });
  return (json as Record<typeof rows, { id: string }[]>)[rows][0]?.id;
}

for (const [name, { words, find }] of Object.entries(screens)) {
  test(
    `a refresh of ${name} that fails is told once, and taken back when it succeeds`,
    desktopOnly,
    async ({ page, watch }) => {
      await page.goto('/dashboard');
      const { address, call, open } = await find(page);
      watch.expectFailureOf(call);
      const letLiveUpdatesBegin = await holdLiveUpdates(page);
      const isCall = (url: URL) => url.pathname === call;
      const loaded = page.waitForResponse((response) => isCall(new URL(response.url())));
      await page.goto(address);
      await open?.(page);
      expect((await loaded).status()).toBe(200);
      await page.route(isCall, answerFault);
      letLiveUpdatesBegin();
      await expect(toast(page, words)).toBeVisible();
      await expect(anyToast(page)).toHaveCount(1);
      await page.unroute(isCall);
      await toast(page, words).getByRole('button', { name: 'Retry' }).click();
      await expect(anyToast(page)).toHaveCount(0);
    },
  );
}

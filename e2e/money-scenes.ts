import type { Page } from '@playwright/test';
import { callApi } from './pieces.ts';
import type { Scene } from './scene.ts';

const firstRow = (page: Page) => page.locator('tr[data-row]').first().waitFor();
const openFirstRow = (page: Page) => page.locator('tr[data-row] .table-name').first().click();

/** In dollars one person can adjust so much alone; shares need a second one. */
async function askForShares(page: Page) {
  const { json } = await callApi(page, 'GET', { path: '/api/users?search=okoro' });
  const [person] = (json as { users: { id: string }[] }).users;
  // The same id in every look: sent again, it is the same request.
  const id = '019c0000-0000-7000-8000-000000000001';
  const body = { id, person: person?.id, asset: 'SHARE', amount: '40', reason: 'Promised at the launch.' };
  const { status } = await callApi(page, 'POST', { path: '/api/ledger/adjustments', body });
  if (status !== 200) throw new Error(`The request was answered ${status}.`);
}

async function openFirstWithdrawal(page: Page, press: 'Approve' | 'Reject') {
  await openFirstRow(page);
  await page.getByRole('dialog').getByRole('button', { name: press }).click();
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
}

/** Another share of the payout, which waits for a second person. */
async function askForShare(page: Page) {
  const path = '/api/jobs/stake-payout';
  const { settings, version, waiting } = (await callApi(page, 'GET', { path })).json as {
    settings: object;
    version: number;
    waiting: object | null;
  };
  const body = { settings: { ...settings, baseReward: 45, loyaltyReward: 35 }, version };
  if (!waiting) await callApi(page, 'POST', { path, body });
}

export const moneyScenes: readonly Scene[] = [
  {
    name: 'stake-payout-waits',
    address: '/dashboard/settings/cronjobs/stake-payout',
    signedIn: 'admin',
    arrange: async (page) => {
      await askForShare(page);
      await page.getByText('View the request').waitFor();
    },
  },
  {
    name: 'limits',
    isScreen: true,
    address: '/dashboard/approvals?limits=open',
    signedIn: 'admin',
    arrange: (page) => page.getByText('Task rewards in USD').waitFor(),
  },
  { name: 'ledger', isScreen: true, address: '/dashboard/ledger', signedIn: 'admin', arrange: firstRow },
  {
    name: 'ledger-transfer',
    address: '/dashboard/ledger?kind=withdrawal',
    signedIn: 'admin',
    arrange: async (page) => {
      await openFirstRow(page);
      await page.getByText('Posted for').waitFor();
    },
  },
  {
    name: 'withdrawals-pending',
    address: '/dashboard/manage-withdraw?status=Pending',
    signedIn: 'admin',
    arrange: async (page) => {
      for (const place of [0, 2]) await page.locator('tr[data-row]').nth(place).getByRole('checkbox').check();
    },
  },
  {
    name: 'withdrawal-approve',
    address: '/dashboard/manage-withdraw?status=Pending',
    signedIn: 'admin',
    arrange: (page) => openFirstWithdrawal(page, 'Approve'),
  },
  {
    name: 'withdrawal-reject',
    address: '/dashboard/manage-withdraw?status=Pending',
    signedIn: 'admin',
    arrange: (page) => openFirstWithdrawal(page, 'Reject'),
  },
  { name: 'approvals-none', address: '/dashboard/approvals?state=denied', signedIn: 'admin' },
  {
    name: 'approvals',
    isScreen: true,
    address: '/dashboard/approvals',
    signedIn: 'admin',
    arrange: async (page) => {
      await askForShares(page);
      await firstRow(page);
    },
  },
  {
    name: 'approval',
    address: '/dashboard/approvals',
    signedIn: 'admin',
    arrange: async (page) => {
      await openFirstRow(page);
      await page.getByText('Fingerprint').waitFor();
    },
  },
  {
    name: 'adjust',
    address: '/dashboard/users?search=okoro',
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByRole('link', { name: 'View Profile' }).first().click();
      await page.getByRole('button', { name: 'Adjust', exact: true }).click();
      await page.getByLabel('Amount').waitFor();
    },
  },
  {
    name: 'fund-treasury',
    address: '/dashboard/ledger',
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Fund treasury' }).click();
      await page.getByLabel('Amount').waitFor();
    },
  },
];

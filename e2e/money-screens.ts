import type { Page } from '@playwright/test';
import { demoSignIn } from '../server/src/features/admins/demo.ts';
import { callApi } from './page-helpers.ts';
import type { Screen } from './screen.ts';

const firstRow = (page: Page) => page.locator('tr[data-row]').first().waitFor();
const openFirstRow = (page: Page) => page.locator('tr[data-row] .table-name').first().click();

/** Requests shares: unlike small dollar amounts, an adjustment in shares always needs a second approver. */
async function requestShares(page: Page) {
  const { json } = await callApi(page, 'GET', { path: '/api/users?search=okoro' });
  const [user] = (json as { users: { id: string }[] }).users;
  // The id is the same in every theme and width, so that a repeated call is the same request.
  const id = '019c0000-0000-7000-8000-000000000001';
  const body = { id, user: user?.id, asset: 'SHARE', amount: '40', reason: 'Promised at the launch.' };
  const { status } = await callApi(page, 'POST', { path: '/api/ledger/adjustments', body });
  if (status !== 200) throw new Error(`The request was answered ${status}.`);
}

async function openFirstWithdrawal(page: Page, press: 'Approve' | 'Reject') {
  await openFirstRow(page);
  await page.getByRole('dialog').getByRole('button', { name: press }).click();
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
}

type WithdrawalRow = { id: string; state: string; waitsUntil: string | null };

/** Approves the smallest request and, if asked, marks it as sent, unless there is such a withdrawal already. */
async function leaveOpen(page: Page, state: 'approved' | 'sent') {
  const list = async (query: string) => {
    const { json } = await callApi(page, 'GET', { path: `/api/withdrawals?${query}` });
    return (json as { withdrawals: WithdrawalRow[] }).withdrawals;
  };
  if ((await list(`open=${state}`)).length > 0) return;
  const pending = await list('status=Pending&sort=amount&limit=100');
  const requested = pending.find((it) => it.state === 'requested' && it.waitsUntil === null);
  const path = `/api/withdrawals/${requested?.id}`;
  await callApi(page, 'POST', { path: `${path}/approve`, body: {} });
  if (state === 'sent') {
    const body = { outcome: 'sent', reference: `Payment of ${requested?.id}` };
    await callApi(page, 'POST', { path: `${path}/settle`, body });
  }
  await page.reload();
}

/** Compares a list that matches nothing of ours. Every theme and width has the same list, which is compared once. */
async function reconcileOnce(page: Page) {
  const list = 'reference,amount,wallet,time\nexample reference,120.50,So1Wallet,2026-01-15T10:00:00Z';
  const body = { list, from: '2026-01-15', to: '2026-01-15' };
  const { status } = await callApi(page, 'POST', { path: '/api/withdrawals/reconciliations', body });
  if (status !== 200 && status !== 409) throw new Error(`The list was answered ${status}.`);
  await firstRow(page);
}

/** Another administrator requests adjustments that the administrator in the picture may approve. */
async function requestAsColleague(page: Page) {
  const send = async (path: string, given: { body?: object; token?: string }) => {
    const response = await fetch(new URL(path, page.url()), {
      method: given.body ? 'POST' : 'GET',
      headers: {
        ...(given.body && { 'content-type': 'application/json' }),
        ...(given.token && { authorization: `Bearer ${given.token}` }),
      },
      body: given.body ? JSON.stringify(given.body) : null,
    });
    return (await response.json()) as Record<string, unknown>;
  };
  const signIn = { username: 'kenji.sato', password: demoSignIn.password };
  const token = String((await send('/api/admin/login', { body: signIn }))['token']);
  const { users } = (await send('/api/users?sort=userId&limit=3', { token })) as { users: { id: string }[] };
  for (const [place, { id: user }] of users.entries()) {
    // The ids are the same in every theme and width, so that a repeated call is the same request.
    const id = `019c0000-0000-7000-8000-00000000001${place}`;
    const body = { id, user, asset: 'SHARE', amount: String(40 + place), reason: 'Promised at the launch.' };
    await send('/api/ledger/adjustments', { body, token });
  }
}

async function selectRequests(page: Page) {
  await requestAsColleague(page);
  await page.getByRole('checkbox', { name: 'Select request: Adjustment' }).first().waitFor();
  await page.getByRole('checkbox', { name: /^Select all/ }).check();
}

/** Requests a change of the payout's shares, which waits for a second approver. */
async function requestShareChange(page: Page) {
  const path = '/api/jobs/stake-payout';
  const { settings, version, waiting } = (await callApi(page, 'GET', { path })).json as {
    settings: object;
    version: number;
    waiting: object | null;
  };
  const body = { settings: { ...settings, baseReward: 45, loyaltyReward: 35 }, version };
  if (!waiting) await callApi(page, 'POST', { path, body });
}

export const moneyScreens: readonly Screen[] = [
  {
    name: 'stake-payout-waits',
    address: '/dashboard/settings/cronjobs/stake-payout',
    signedIn: 'admin',
    arrange: async (page) => {
      await requestShareChange(page);
      await page.getByText('View request').waitFor();
    },
  },
  {
    name: 'limits',
    address: '/dashboard/approvals?limits=open',
    signedIn: 'admin',
    arrange: (page) => page.getByText('Adjustments in USD').waitFor(),
  },
  { name: 'ledger', address: '/dashboard/ledger', signedIn: 'admin', arrange: firstRow },
  {
    name: 'ledger-transfer',
    address: '/dashboard/ledger?kind=withdrawal',
    signedIn: 'admin',
    arrange: async (page) => {
      await openFirstRow(page);
      await page.getByText('Source', { exact: true }).first().waitFor();
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
    name: 'withdrawals-approve',
    address: '/dashboard/manage-withdraw?status=Pending',
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByRole('checkbox', { name: /^Select all/ }).check();
      await page.getByRole('region', { name: 'Selected withdrawals' }).getByRole('button', { name: 'Approve' }).click();
      await page.getByText('Need a second approver').waitFor();
    },
  },
  {
    name: 'withdrawal-reject',
    address: '/dashboard/manage-withdraw?status=Pending',
    signedIn: 'admin',
    arrange: (page) => openFirstWithdrawal(page, 'Reject'),
  },
  {
    name: 'withdrawals-settlement',
    address: '/dashboard/manage-withdraw?section=settlement',
    signedIn: 'admin',
    arrange: async (page) => {
      await leaveOpen(page, 'approved');
      await firstRow(page);
    },
  },
  {
    name: 'withdrawal-open',
    address: '/dashboard/manage-withdraw?section=settlement&open=sent',
    signedIn: 'admin',
    arrange: async (page) => {
      await leaveOpen(page, 'sent');
      await openFirstRow(page);
      await page.getByRole('button', { name: 'Report failure' }).waitFor();
    },
  },
  {
    name: 'withdrawals-reconciliation',
    address: '/dashboard/manage-withdraw?section=reconciliation',
    signedIn: 'admin',
    arrange: reconcileOnce,
  },
  { name: 'approvals-none', address: '/dashboard/approvals?state=denied', signedIn: 'admin' },
  {
    name: 'approvals',
    address: '/dashboard/approvals',
    signedIn: 'admin',
    arrange: async (page) => {
      await requestShares(page);
      await firstRow(page);
    },
  },
  {
    name: 'approvals-selected',
    address: '/dashboard/approvals?state=waiting',
    signedIn: 'admin',
    arrange: selectRequests,
  },
  {
    name: 'approvals-approve',
    address: '/dashboard/approvals?state=waiting',
    signedIn: 'admin',
    arrange: async (page) => {
      await selectRequests(page);
      await page.getByRole('region', { name: 'Selected requests' }).getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('list', { name: 'Requests to approve' }).waitFor();
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

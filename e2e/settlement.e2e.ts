import type { Page } from '@playwright/test';
import { addWithdrawal } from '../server/src/core/testing/transfers.ts';
import { demoUser, fact, readUser } from './demo-users.ts';
import type { Environment } from './environment.ts';
import { expect, test } from './fixtures.ts';
import { withOwner } from './owner.ts';
import { approveNewest, callApi, toast } from './page-helpers.ts';
import { inGate, inGateOnce, onceOnly } from './tags.ts';

const withdrawals = '/dashboard/manage-withdraw';
const drawer = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const press = (page: Page, dialog: string, name: string) =>
  drawer(page, dialog).getByRole('button', { name, exact: true }).click();

test(
  'a withdrawal approved without a reference is listed as not sent, sent, and completed when it is confirmed',
  inGate,
  async ({ page, environment }) => {
    const { id: userId, username } = await demoUser(page, 12);
    const id = await withOwner(environment, ({ database }) => addWithdrawal(database, { userId, units: 9_000_000n }));
    const { status } = await callApi(page, 'POST', { path: `/api/withdrawals/${id}/approve`, body: {} });
    expect(status).toBe(200);
    await page.goto(`${withdrawals}?section=settlement&search=${username}`);
    await page
      .getByRole('link', { name: `View withdrawal of ${username}` })
      .last()
      .click();
    await press(page, 'Withdrawal', 'Mark as sent');
    await page.getByLabel('Transaction reference').fill(`tx ${id}`);
    await press(page, 'Mark as Sent', 'Mark as sent');
    await expect(toast(page, 'Recorded as sent')).toBeVisible();
    await press(page, 'Withdrawal', 'Confirm');
    await press(page, 'Confirm Withdrawal', 'Confirm');
    await expect(toast(page, 'Withdrawal completed')).toBeVisible();
    await expect(fact(page, 'Status')).toHaveText('Completed');
    const { json } = await callApi(page, 'GET', { path: `/api/withdrawals/${id}` });
    expect((json as { withdrawal: object }).withdrawal).toMatchObject({ state: 'confirmed', settledBy: 'ines.moreau' });
  },
);

/** Adds a withdrawal, approves it, and records that it was sent. */
async function addSent({ page, environment, place }: { page: Page; environment: Environment; place: number }) {
  const { id: userId, username, address } = await demoUser(page, place);
  const id = await withOwner(environment, ({ database }) => addWithdrawal(database, { userId, units: 7_000_000n }));
  const reference = `tx ${id}`;
  const paths = { approve: {}, settle: { outcome: 'sent', reference } };
  for (const [path, body] of Object.entries(paths)) {
    const { status } = await callApi(page, 'POST', { path: `/api/withdrawals/${id}/${path}`, body });
    expect(status).toBe(200);
  }
  return { id, userId, username, address, reference };
}

test(
  'a withdrawal that was sent fails after a second approval, and its amount is available again',
  inGateOnce,
  async ({ page, environment, visit }) => {
    const { id, userId } = await addSent({ page, environment, place: 16 });
    const availableTo = async () => Number((await readUser(page, userId))['available']);
    const before = await availableTo();
    await page.goto(`${withdrawals}?withdrawal=${id}`);
    await press(page, 'Withdrawal', 'Report failure');
    await page.getByLabel('Reason').fill('The network rejected it.');
    await press(page, 'Report Failure', 'Report failure');
    await expect(page.getByText('ines.moreau reported that it failed')).toBeVisible();
    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto('/dashboard/approvals');
    await approveNewest(colleague, 'withdrawal');
    await expect(fact(page, 'Status')).toHaveText('Failed');
    expect(await availableTo()).toBeCloseTo(before + 7, 6);
  },
);

test(
  'a list without one of our payments, and with one that is not ours, leaves two differences, which are closed',
  onceOnly,
  async ({ page, environment }) => {
    const matched = await addSent({ page, environment, place: 14 });
    const missing = await addSent({ page, environment, place: 15 });
    const walletOf = async (id: string) => {
      const { json } = await callApi(page, 'GET', { path: `/api/withdrawals/${id}` });
      return (json as { withdrawal: { wallet: string } }).withdrawal.wallet;
    };
    const now = new Date().toISOString();
    const unexpected = `foreign ${matched.id}`;
    const rows = [`${matched.reference},7,${await walletOf(matched.id)},${now}`, `${unexpected},3,somewhere,${now}`];
    await page.goto(`${withdrawals}?section=reconciliation`);
    await page.getByLabel('Transfers that were sent').fill(['reference,amount,wallet,time', ...rows].join('\n'));
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect(page.getByText('1 of 2 payments matched.')).toBeVisible();
    await expect(page.getByRole('row').filter({ hasText: missing.username })).toContainText('Missing from the list');
    for (const difference of [page.getByRole('row').filter({ hasText: missing.username }), unexpectedRow(page)]) {
      await difference.getByRole('button', { name: 'Close', exact: true }).click();
      await page.getByLabel('Note').fill('Checked with the platform.');
      await press(page, 'Close Difference', 'Close difference');
      await expect(toast(page, 'Difference closed').last()).toBeVisible();
      await expect(difference).toHaveCount(0);
    }
  },
);

const unexpectedRow = (page: Page) => page.getByRole('row').filter({ hasText: 'Unexpected' });

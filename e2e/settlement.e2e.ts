import type { Page } from '@playwright/test';
import { addWithdrawal } from '../server/src/core/testing/transfers.ts';
import { demoUser, fact } from './demo-users.ts';
import { expect, test } from './fixtures.ts';
import { withOwner } from './owner.ts';
import { callApi, toast } from './page-helpers.ts';
import { inGate } from './tags.ts';

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

import type { Page } from '@playwright/test';
import { addWithdrawal } from '../server/src/core/testing/transfers.ts';
import { expect, test } from './fixtures.ts';
import type { Environment } from './environment.ts';
import { liftLimits, setLimit, withOwner } from './owner.ts';
import { fact, demoUser } from './demo-users.ts';
import { callApi, heading, toast } from './page-helpers.ts';
import { inGate, inGateOnBoth, inGateOnce, onceOnly } from './tags.ts';

const withdrawals = '/dashboard/manage-withdraw';
const approvals = '/dashboard/approvals';
const drawer = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const rows = (page: Page) => page.locator('tbody tr[data-row]');
const press = (page: Page, dialog: string, name: string) =>
  drawer(page, dialog).getByRole('button', { name, exact: true }).click();

let places = 60;

/** Adds a withdrawal of this many dollars for a demo user. */
async function requested(page: Page, environment: Environment, dollars: number) {
  places += 1;
  const { id: userId, username } = await demoUser(page, places % 90);
  const id = await withOwner(environment, ({ database }) =>
    addWithdrawal(database, { userId, units: BigInt(dollars) * 1_000_000n }),
  );
  return { id, userId, username };
}

async function read(page: Page, id: string) {
  const { json } = await callApi(page, 'GET', { path: `/api/withdrawals/${id}` });
  return (json as { withdrawal: Record<string, string | null> }).withdrawal;
}

test(
  'Approve with a reference asks for confirmation, pays, and the ledger shows the transfer',
  inGateOnBoth,
  async ({ page, environment }) => {
    const { id, username } = await requested(page, environment, 7);
    await page.goto(`${withdrawals}?withdrawal=${id}`);
    await press(page, 'Withdrawal', 'Approve');
    await expect(drawer(page, 'Approve Withdrawal').getByText(`Pay $7.00 to ${username}?`)).toBeVisible();
    await page.getByLabel('Transaction reference').fill(`tx ${id}`);
    await press(page, 'Approve Withdrawal', 'Approve');
    await expect(toast(page, 'Withdrawal approved')).toBeVisible();
    await expect(fact(page, 'Status')).toHaveText('Completed');
    await page.reload();
    await expect(fact(page, 'Decided by')).toHaveText('ines.moreau');
    const { json } = await callApi(page, 'GET', { path: '/api/ledger/transfers?kind=withdrawal&limit=100' });
    const { transfers } = json as { transfers: { cause: string; to: string; amount: string }[] };
    expect(transfers.find(({ cause, to }) => cause === id && to === 'outside')).toMatchObject({ amount: '7.00' });
  },
);

test('Reject requires a reason and returns the amount', inGate, async ({ page, environment }) => {
  const { id } = await requested(page, environment, 8);
  await page.goto(`${withdrawals}?withdrawal=${id}`);
  await press(page, 'Withdrawal', 'Reject');
  await press(page, 'Reject Withdrawal', 'Reject');
  await expect(page.getByText('Enter a reason.', { exact: true })).toBeVisible();
  expect(await read(page, id)).toMatchObject({ status: 'Pending' });
  await page.getByLabel('Reason').fill('The wallet is not theirs.');
  await press(page, 'Reject Withdrawal', 'Reject');
  await expect(toast(page, 'Withdrawal rejected')).toBeVisible();
  await expect(fact(page, 'Reason')).toHaveText('The wallet is not theirs.');
  await page.reload();
  await expect(fact(page, 'Status')).toHaveText('Failed');
});

test(
  'above the limit a second approver approves exactly what was requested',
  inGate,
  async ({ page, environment, visit }) => {
    await setLimit(environment, 'alone', 1_000);
    const { id, username } = await requested(page, environment, 4_321);
    await page.goto(`${withdrawals}?withdrawal=${id}`);
    await press(page, 'Withdrawal', 'Approve');
    await expect(drawer(page, 'Approve Withdrawal')).toContainText('This goes to a second approver.');
    await press(page, 'Approve Withdrawal', 'Approve');
    await expect(toast(page, 'Sent to a second approver')).toBeVisible();
    await expect(fact(page, 'Status')).toHaveText('Pending');
    await expect(fact(page, 'Approval')).toHaveText('Waiting for second approver');
    await expect(page.getByText('ines.moreau requested a second approval.')).toBeVisible();

    const requestsOf = (who: Page) =>
      rows(who)
        .filter({ hasText: `Withdrawal for ${username}` })
        .first();
    await page.goto(approvals);
    await requestsOf(page).getByRole('link').first().click();
    await expect(fact(page, 'Amount')).toHaveText('$4,321.00');
    const own = drawer(page, 'Request').getByRole('button', { name: 'Approve', exact: true });
    await expect(own).toHaveAccessibleDescription('You requested this, so someone else must decide.');

    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    await colleague.goto(approvals);
    await expect(heading(colleague, 'Approvals')).toBeVisible();
    await requestsOf(colleague).getByRole('link').first().click();
    await expect(fact(colleague, 'Requested by')).toHaveText('ines.moreau');
    await press(colleague, 'Request', 'Approve');
    await expect(toast(colleague, 'Approved')).toBeVisible();
    // The list stays open, with the next pending request if there is one.
    await expect(requestsOf(colleague)).toContainText('Approved');
    await expect(fact(page, 'State')).toHaveText('Approved');
    expect(await read(page, id)).toMatchObject({
      state: 'approved',
      preparedBy: 'ines.moreau',
      decidedBy: 'kenji.sato',
    });
    await liftLimits(environment);
  },
);

test(
  'a second approver denies with a reason, and the requester sees it',
  onceOnly,
  async ({ page, environment, visit }) => {
    await setLimit(environment, 'alone', 1_000);
    const { id, username } = await requested(page, environment, 2_222);
    const { status } = await callApi(page, 'POST', { path: `/api/withdrawals/${id}/approve`, body: {} });
    expect(status).toBe(200);
    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto(`${approvals}?state=waiting`);
    await rows(colleague)
      .filter({ hasText: `Withdrawal for ${username}` })
      .first()
      .getByRole('link')
      .first()
      .click();
    await press(colleague, 'Request', 'Deny');
    await colleague.getByLabel('Reason').fill('Call them first.');
    await press(colleague, 'Request', 'Deny');
    await expect(toast(colleague, 'Denied')).toBeVisible();
    // The request has left the list of pending requests, and the page stays on that list.
    await expect(rows(colleague).filter({ hasText: `Withdrawal for ${username}` })).toHaveCount(0);
    expect(new URL(colleague.url()).searchParams.get('state')).toBe('waiting');
    await page.goto(`${approvals}?state=denied`);
    await rows(page)
      .filter({ hasText: `Withdrawal for ${username}` })
      .first()
      .getByRole('link')
      .first()
      .click();
    await expect(fact(page, 'Reason')).toHaveText('Call them first.');
    expect(await read(page, id)).toMatchObject({ status: 'Pending', waitsUntil: null });
    await liftLimits(environment);
  },
);

test(
  'several pending withdrawals are selected and decided together',
  inGateOnBoth,
  async ({ page, environment, visit }) => {
    const small = [await requested(page, environment, 3), await requested(page, environment, 4)];
    const large = await requested(page, environment, 9_999);
    await setLimit(environment, 'alone', 1_000);
    // This administrator has not moved anything alone today.
    const clerk = await visit({ as: 'tomasz.lind' });
    await clerk.goto(`${withdrawals}?status=Pending`);
    for (const { id } of [...small, large]) {
      await clerk.locator(`tr[data-row="${id}"]`).getByRole('checkbox').check();
    }
    const bar = clerk.getByRole('region', { name: 'Selected withdrawals' });
    await expect(bar).toContainText('3 selected');
    await expect(bar).toContainText('$10,006.00');
    await bar.getByRole('button', { name: 'Approve' }).click();
    const dialog = drawer(clerk, 'Approve Withdrawals');
    await expect(dialog).toContainText('Approve 3 withdrawals totaling $10,006.00?');
    await expect(fact(clerk, 'Approved now')).toHaveText('2 withdrawals, $7.00');
    await expect(fact(clerk, 'Need a second approver')).toHaveText('1 withdrawal, $9,999.00');
    await press(clerk, 'Approve Withdrawals', 'Approve');
    await expect(dialog).toContainText('2 withdrawals approved.');
    await expect(dialog).toContainText('1 withdrawal sent to a second approver.');
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    for (const { id } of small) expect(await read(page, id)).toMatchObject({ state: 'approved' });
    expect(await read(page, large.id)).toMatchObject({ status: 'Pending', preparedBy: 'tomasz.lind' });
    await liftLimits(environment);
  },
);

test(
  'an Admin with the Support permission set sees why they cannot decide',
  onceOnly,
  async ({ page, environment, visit }) => {
    const { id } = await requested(page, environment, 5);
    const support = await visit({ as: 'amara.osei' });
    await support.goto(`${withdrawals}?withdrawal=${id}`);
    for (const name of ['Approve', 'Reject']) {
      const button = drawer(support, 'Withdrawal').getByRole('button', { name, exact: true });
      await expect(button).toHaveAccessibleDescription('Your role does not allow this.');
    }
  },
);

test('Adjust corrects a balance with a transfer and its reason', inGate, async ({ page }) => {
  const { id, address } = await demoUser(page, 95);
  const before = await callApi(page, 'GET', { path: `/api/users/${id}` });
  await page.goto(address);
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  await press(page, 'Adjust Balance', 'Adjust');
  await expect(page.getByText('Enter a reason.', { exact: true })).toBeVisible();
  await page.getByLabel('Amount').fill('12.34');
  await page.getByLabel('Reason').fill('A reward that was missed.');
  await press(page, 'Adjust Balance', 'Adjust');
  await expect(toast(page, 'Balance adjusted')).toBeVisible();
  const after = await callApi(page, 'GET', { path: `/api/users/${id}` });
  const available = ({ json }: { json: unknown }) => Number((json as { user: { available: string } }).user.available);
  expect(available(after) - available(before)).toBeCloseTo(12.34, 6);
  await page.goto(`${address}?tab=ledger`);
  await expect(page.getByRole('table', { name: 'Transfers of this user' })).toContainText('Adjustment');
});

test(
  'a reward above the limit waits for a second approver, who pays it',
  onceOnly,
  async ({ page, visit, environment }) => {
    await setLimit(environment, 'alone', 1_000);
    const { userId } = await demoUser(page, 97);
    const title = `A large reward ${process.pid}`;
    const form = {
      userId,
      postUrl: 'https://example.com/1',
      title,
      description: '',
      reward: '1500',
      deadline: '2027-01-01',
    };
    expect((await callApi(page, 'POST', { path: '/api/tasks', body: form })).status).toBe(200);
    await page.goto('/dashboard/manage-task');
    const reward = page.getByRole('button', { name: `Reward task: ${title}` });
    await reward.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reward', exact: true }).click();
    await expect(toast(page, 'Sent to a second approver')).toBeVisible();
    await expect(reward).toHaveAccessibleDescription(
      'The reward of this task is already waiting for a second approver.',
    );
    const colleague = await visit({ as: 'kenji.sato' });
    await colleague.goto(`${approvals}?state=waiting`);
    await rows(colleague).filter({ hasText: '$1,500.00' }).getByRole('link').first().click();
    await expect(fact(colleague, 'Task')).toHaveText(title);
    await press(colleague, 'Request', 'Approve');
    await expect(toast(colleague, 'Approved')).toBeVisible();
    await expect(page.getByRole('button', { name: `Revoke task: ${title}` })).toBeVisible();
    await liftLimits(environment);
  },
);

test('an adjustment in shares waits for a second approver', onceOnly, async ({ page }) => {
  const { address, username } = await demoUser(page, 96);
  await page.goto(address);
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  await page.getByLabel('Asset').selectOption('GMP shares');
  await page.getByLabel('Amount').fill('40');
  await page.getByLabel('Reason').fill('Promised at the launch.');
  await press(page, 'Adjust Balance', 'Adjust');
  await expect(toast(page, 'Sent to a second approver')).toBeVisible();
  await page.goto(`${approvals}?state=waiting`);
  await rows(page)
    .filter({ hasText: `Adjustment for ${username}` })
    .getByRole('link')
    .first()
    .click();
  await expect(fact(page, 'Amount')).toHaveText('+40shares');
});

test('the treasury is funded from outside after a second approval', inGateOnce, async ({ page, visit }) => {
  await page.goto('/dashboard/ledger');
  const treasury = () => fact(page, 'Treasury').innerText();
  const before = await treasury();
  await page.getByRole('button', { name: 'Fund treasury' }).click();
  await page.getByLabel('Amount').fill('-999999999');
  await page.getByLabel('Reason').fill(`October's rewards ${process.pid}`);
  await press(page, 'Fund Treasury', 'Withdraw from treasury');
  await expect(toast(page, 'Sent to a second approver')).toBeVisible();
  await page.getByRole('button', { name: 'Fund treasury' }).click();
  await expect(page.getByLabel('Asset').getByRole('option')).toHaveText(['USD', 'GMP']);
  await page.getByLabel('Amount').fill('54321');
  await page.getByLabel('Reason').fill(`October's rewards ${process.pid}`);
  await press(page, 'Fund Treasury', 'Fund treasury');
  await expect(toast(page, 'Sent to a second approver')).toHaveCount(2);
  expect(await treasury()).toBe(before);

  const colleague = await visit({ as: 'kenji.sato' });
  await colleague.goto(`${approvals}?state=waiting`);
  const requestOf = (amount: string) => rows(colleague).filter({ hasText: amount }).getByRole('link').first();
  await requestOf('+$54,321.00').click();
  await expect(fact(colleague, 'Treasury')).toHaveText('Money in');
  await expect(fact(colleague, 'Reason')).toHaveText(`October's rewards ${process.pid}`);
  await press(colleague, 'Request', 'Approve');
  await expect(toast(colleague, 'Approved')).toBeVisible();
  await expect.poll(treasury).not.toBe(before);
  await page
    .getByRole('row')
    .filter({ hasText: /Adjustment.*54,321/ })
    .first()
    .getByRole('link')
    .first()
    .click();
  await expect(fact(page, 'Movement')).toHaveText('ExternalTreasury');
  await expect(fact(page, 'User')).toHaveText('Platform');
});

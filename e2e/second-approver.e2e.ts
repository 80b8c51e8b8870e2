import type { Locator, Page } from '@playwright/test';
import { addWithdrawal } from '../server/src/core/testing/transfers.ts';
import { expect, test } from './fixtures.ts';
import type { Environment } from './environment.ts';
import { liftLimits, setLimit, withOwner } from './owner.ts';
import { demoUser } from './demo-users.ts';
import { callApi, heading, toast } from './page-helpers.ts';
import { desktopOnly } from './tags.ts';

const many = 20;
const rows = (page: Page) => page.locator('tbody tr[data-row]');
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const menu = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });
const countOf = (link: Locator) =>
  link.evaluate((element) => Number(element.getAttribute('aria-description')?.match(/\d+/)?.[0] ?? 0));

/** Adds twenty withdrawals, each above what one administrator may pay in a day; the newest is first in the list. */
async function requestWithdrawals(page: Page, environment: Environment) {
  const { id: userId } = await demoUser(page, 42);
  const ids: string[] = [];
  await withOwner(environment, async ({ database }) => {
    for (let place = 0; place < many; place += 1) {
      const units = BigInt(1_100 + place) * 1_000_000n;
      ids.unshift(await addWithdrawal(database, { userId, units }));
    }
  });
  return ids;
}

/** Counts every press of the pointer on this page from now on. */
async function countClicks(page: Page) {
  await page.evaluate(() => {
    const counted = { clicks: 0 };
    Object.assign(window, { counted });
    document.addEventListener('pointerdown', () => (counted.clicks += 1), { capture: true });
  });
  return () => page.evaluate(() => (window as unknown as { counted: { clicks: number } }).counted.clicks);
}

/** Clicks the first box and, with Shift, the last one. */
async function selectFirst(page: Page, ids: readonly string[]) {
  const box = (id: string | undefined) => page.locator(`tr[data-row="${id}"]`).getByRole('checkbox');
  await box(ids[0]).click();
  await box(ids.at(-1)).click({ modifiers: ['Shift'] });
}

test(
  'twenty withdrawals are approved by a maker and a second approver with at most twelve clicks each',
  desktopOnly,
  async ({ environment, visit }) => {
    test.setTimeout(180_000);
    await setLimit(environment, 'alone', 1_000);
    const maker = await visit({ as: 'ines.moreau' });
    const approver = await visit({ as: 'kenji.sato', server: 'second' });
    const ids = await requestWithdrawals(maker, environment);
    const counted = approver.waitForResponse('**/api/approvals/count');
    await approver.goto('/dashboard');
    await expect(menu(approver, 'Manage Withdrawals')).toHaveAttribute('aria-description', /^\d+ pending$/);
    const { approvable: waitingBefore } = (await (await counted).json()) as { approvable: number };

    await maker.goto('/dashboard');
    await expect(heading(maker, 'Analytics')).toBeVisible();
    const makerClicks = await countClicks(maker);
    await menu(maker, 'Manage Withdrawals').click();
    await expect(rows(maker).first()).toHaveAttribute('data-row', String(ids[0]));
    await selectFirst(maker, ids);
    const bar = maker.getByRole('region', { name: 'Selected withdrawals' });
    await expect(bar).toContainText(`${many} selected$22,190.00`);
    await bar.getByRole('button', { name: 'Approve' }).click();
    const split = dialog(maker, 'Approve Withdrawals');
    await expect(split).toContainText('Need a second approver20 withdrawals, $22,190.00');
    await expect(split).toContainText(/You can move \$1,000\.00 a day on your own/);
    await split.getByRole('button', { name: 'Approve', exact: true }).click();
    // Twenty sequential transactions can take long on a busy machine.
    await expect(split).toContainText('20 withdrawals sent to a second approver.', { timeout: 60_000 });
    await split.getByRole('button', { name: 'Close', exact: true }).last().click();
    await expect(rows(maker).first()).toContainText('Second approver');
    expect(await makerClicks()).toBeLessThanOrEqual(12);

    // The live update arrives without a reload.
    await expect.poll(() => countOf(menu(approver, 'Approvals'))).toBe(waitingBefore + many);
    const approverClicks = await countClicks(approver);
    await menu(approver, 'Approvals').click();
    await expect(rows(approver).first()).toContainText('$1,100.00');
    const requests = await rows(approver).evaluateAll((all) => all.map((row) => row.getAttribute('data-row') ?? ''));
    await selectFirst(approver, requests.slice(0, many));
    const selected = approver.getByRole('region', { name: 'Selected requests' });
    await expect(selected).toContainText(`${many} selected$22,190.00`);
    await selected.getByRole('button', { name: 'Approve' }).click();
    const summary = dialog(approver, 'Approve Requests');
    await expect(summary).toContainText('Approve 20 requests totaling $22,190.00?');
    await expect(summary.getByRole('listitem')).toHaveCount(many);
    await summary.getByRole('button', { name: 'Approve 20' }).click();
    await expect(toast(approver, '20 requests approved')).toBeVisible({ timeout: 60_000 });
    expect(await approverClicks()).toBeLessThanOrEqual(12);
    await expect.poll(() => countOf(menu(approver, 'Approvals'))).toBe(waitingBefore);

    for (const id of ids) {
      const { json } = await callApi(maker, 'GET', { path: `/api/withdrawals/${id}` });
      expect((json as { withdrawal: object }).withdrawal).toMatchObject({
        state: 'approved',
        preparedBy: 'ines.moreau',
        decidedBy: 'kenji.sato',
      });
    }
    await liftLimits(environment);
  },
);

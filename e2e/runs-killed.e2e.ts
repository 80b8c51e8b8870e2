import { expect, test } from './fixtures.ts';
import { holdChunks, setRunLimit, storeJob } from './owner.ts';
import { fact } from './people.ts';
import { onceOnly, toast } from './pieces.ts';
import { dialog, endAll, openRun, plan, press, rows, state } from './run-pieces.ts';

test(
  'a run that a second person approved goes on when its worker is killed and another comes, and is paid once',
  onceOnly,
  async ({ page, visit, house }) => {
    test.setTimeout(120_000);
    await setRunLimit(house, 10_000);
    await endAll(page, 'rank-bonus');
    await storeJob(house, 'rank-bonus', { rank: 'Platinum', bonusAmount: '10000.00' });
    const { id } = await plan(page, 'rank-bonus');
    await openRun(page, id);
    await press(page, 'Run');
    await dialog(page, 'Run').getByRole('button', { name: 'Ask for approval' }).click();
    await expect(state(page)).toHaveText('Waiting');

    const letGo = await holdChunks(house, id);
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    await colleague.goto('/dashboard/approvals?state=waiting');
    await rows(colleague).filter({ hasText: 'Run: Rank bonus' }).getByRole('link').first().click();
    await dialog(colleague, 'Request').getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(toast(colleague, 'Approved')).toBeVisible();
    await expect(state(page)).toHaveText('Running');
    await expect(page.getByRole('progressbar', { name: 'Chunks that are paid' })).toBeVisible();

    const hire = await house.killWorker();
    await letGo();
    await page.waitForTimeout(1_500);
    await expect(state(page)).toHaveText('Running');
    await hire();
    await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(fact(page, 'Approved by')).toHaveText('kenji.sato');
    await expect(page.getByText('It adds up')).toBeVisible();
    await setRunLimit(house, 1_000_000);
  },
);

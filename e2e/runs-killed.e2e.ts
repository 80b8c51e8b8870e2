import { expect, test } from './fixtures.ts';
import { holdChunks, liftLimits, setLimit, storeJob } from './owner.ts';
import { fact } from './demo-users.ts';
import { toast } from './page-helpers.ts';
import {
  answer,
  dialog,
  cancelAll,
  expectReversed,
  openLineOf,
  openRun,
  plan,
  planReversal,
  press,
  readRun,
  rows,
  runIt,
  state,
} from './run-page.ts';
import { onceOnly } from './tags.ts';

test(
  'an approved run continues after its worker is killed, is paid once, explained and reversed',
  onceOnly,
  async ({ page, visit, environment }) => {
    test.setTimeout(120_000);
    await setLimit(environment, 'alone', 1_000);
    await cancelAll(page, 'rank-bonus');
    await storeJob(environment, 'rank-bonus', { rank: 'Platinum', bonusAmount: '10000.00' });
    const { id } = await plan(page, 'rank-bonus');
    await openRun(page, id);
    await press(page, 'Run');
    await answer(page, 'Run', 'Request approval');
    await expect(state(page)).toHaveText('Waiting');

    const letGo = await holdChunks(environment, id);
    const colleague = await visit({ as: 'kenji.sato', server: 'second' });
    await colleague.goto('/dashboard/approvals?state=waiting');
    await rows(colleague).filter({ hasText: 'Run: Rank bonus' }).getByRole('link').first().click();
    await expect(fact(colleague, 'May approve')).toContainText('kenji.sato');
    await answer(colleague, 'Request', 'Approve');
    await expect(toast(colleague, 'Approved')).toBeVisible();
    await expect(state(page)).toHaveText('Running');
    await expect(page.getByRole('progressbar', { name: 'Chunks that are paid' })).toBeVisible();

    const hire = await environment.killWorker();
    await letGo();
    await page.waitForTimeout(1_500);
    await expect(state(page)).toHaveText('Running');
    await hire();
    await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
    await expect(fact(page, 'Approved by')).toHaveText('kenji.sato');
    await expect(page.getByText('Balanced', { exact: true })).toBeVisible();
    await liftLimits(environment);

    const [first] = (await readRun(page, id)).largest;
    await openLineOf(page, first?.user.username);
    const why = dialog(page, 'Why this amount');
    await expect(why).toContainText('10000.00 USD for every holder of the rank');
    await why.getByRole('link', { name: `Ledger of ${first?.user.username}` }).click();
    const bonus = rows(page).getByRole('link', { name: /Rank bonus/ });
    await bonus.first().click();
    await expect(dialog(page, 'Transfer')).toContainText('Settings used (version');

    await openRun(page, id);
    await press(page, 'Reverse');
    await planReversal(page, 'The rank was wrong.');
    await runIt(page);
    await expectReversed(page, id);
    await page.goto(`/dashboard/ledger?user=${first?.user.id}`);
    await rows(page)
      .getByRole('link', { name: /Reversal of rank bonus/ })
      .first()
      .click();
    await expect(dialog(page, 'Transfer')).toContainText(/In the run Reversal of rank bonus, .*: The rank was wrong\./);
  },
);

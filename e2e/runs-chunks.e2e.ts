import type { Page } from '@playwright/test';
import { addCrowd } from '../server/src/core/testing/crowd.ts';
import { expect, test as inSharedEnvironment } from './fixtures.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { holdChunks, refuseTransfersOf, withOwner } from './owner.ts';
import { dialog, openRun, plan, press, state, reverseAll } from './run-page.ts';
import { onceOnly } from './tags.ts';

const fiveDaysAgo = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);

/** A separate environment with enough users that a day's payout has two chunks. */
const test = inSharedEnvironment.extend<object, { environment: Environment }>({
  environment: [
    async ({ browserName: _browserName }, hand) => {
      const { environment, close } = await openEnvironment(process.env['E2E_POSTGRES_URL'] ?? '');
      await withOwner(environment, ({ database }) => addCrowd(database, { users: 5_100, placedOn: fiveDaysAgo }));
      await hand(environment);
      await close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

const chunks = (page: Page) => page.locator('.run-pace').getByText(/chunks$/);
const notice = (page: Page) => page.getByRole('alert').first();

async function planAndRun(page: Page, arrange: (id: string) => Promise<unknown>) {
  await reverseAll(page, 'stake-payout');
  const { id } = await plan(page, 'stake-payout');
  await arrange(id);
  await openRun(page, id);
  await press(page, 'Run');
  await dialog(page, 'Run').getByRole('button', { name: 'Run', exact: true }).click();
  return id;
}

async function expectPaidWhole(page: Page) {
  await expect(state(page)).toHaveText('Completed', { timeout: 30_000 });
  const [planned, posted] = await page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: 'Paid', exact: true }) })
    .getByRole('cell')
    .allTextContents();
  expect(posted).toBe(planned);
}

test(
  'a run is paused between two chunks, pays nothing while paused, and resumes where it was',
  onceOnly,
  async ({ page, environment }) => {
    let letGo = async () => {};
    await planAndRun(page, async (id) => {
      letGo = await holdChunks(environment, id, 2);
    });
    await expect(chunks(page)).toHaveText('1 of 2 chunks');
    await expect(state(page)).toHaveText('Running');
    await press(page, 'Pause');
    await expect(state(page)).toHaveText('Paused');
    await expect(notice(page)).toHaveText(/^Paused by ines\.moreau\. \$[\d,.]+ of the planned \$[\d,.]+ was paid\.$/);
    await letGo();
    await page.waitForTimeout(1_500);
    await expect(chunks(page)).toHaveText('1 of 2 chunks');
    await press(page, 'Resume');
    await expectPaidWhole(page);
  },
);

test(
  'a chunk that cannot be paid is set aside with its reason, the others are paid, and it can be retried',
  onceOnly,
  async ({ page, environment }) => {
    let mend = async () => {};
    await planAndRun(page, async (id) => {
      mend = await refuseTransfersOf(environment, id, 1);
    });
    await expect(state(page)).toHaveText('Failed', { timeout: 30_000 });
    await expect(chunks(page)).toHaveText('1 of 2 chunks');
    await expect(notice(page)).toContainText('One chunk could not be paid after three attempts');
    await expect(page.locator('.run-error')).toContainText('Chunk 1failed 3 times');
    await mend();
    await press(page, 'Try again');
    await expectPaidWhole(page);
  },
);

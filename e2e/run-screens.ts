import type { Page } from '@playwright/test';
import type { RunKind } from '../contract/src/run-kinds.ts';
import { openRun, plan, press, readRun, reversal, runsAddress, runsOf, start, state } from './run-page.ts';
import type { Screen } from './screen.ts';

/** Returns the planned run: created for the first picture, and found again for the others. */
async function planned(page: Page, kind: RunKind) {
  const known = (await runsOf(page, kind)).find((run) => run.state === 'planned' && run.reverses === null);
  return known ?? (await plan(page, kind));
}

async function paid(page: Page) {
  const isActive = (run: Awaited<ReturnType<typeof runsOf>>[number]) =>
    run.state === 'completed' && run.reverses === null && run.reversed === 'none';
  const known = (await runsOf(page, 'stake-payout')).find(isActive);
  if (known) return known;
  const run = await plan(page, 'stake-payout');
  await start(page, run.id);
  return run;
}

/** Returns a reversed run whose day is paid again. */
async function reversed(page: Page) {
  const known = (await runsOf(page, 'stake-payout')).find((run) => run.reversed === 'fully');
  if (known) return known;
  const run = await paid(page);
  const back = await reversal(page, run.id, 'The rate was wrong.');
  await start(page, back.id);
  await paid(page);
  return run;
}

async function lines(page: Page, id: string) {
  await openRun(page, id);
  await page.locator('tr[data-row]').first().waitFor();
}

const screen = (name: string, arrange: (page: Page) => Promise<unknown>, address = runsAddress): Screen => ({
  name,
  address,
  signedIn: 'admin',
  arrange,
});

export const runScreens: readonly Screen[] = [
  screen('run-planned', async (page) => lines(page, (await planned(page, 'gmp-distro')).id)),
  screen('run-confirm', async (page) => {
    await openRun(page, (await planned(page, 'gmp-distro')).id);
    await press(page, 'Run');
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).waitFor();
  }),
  screen('run-why-shares', async (page) => {
    await lines(page, (await planned(page, 'gmp-distro')).id);
    await page
      .locator('tr[data-row]')
      .getByRole('link', { name: /why, for/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('shares').first().waitFor();
  }),
  { ...screen('run-completed', async (page) => lines(page, (await paid(page)).id)) },
  screen('run-reversed', async (page) => lines(page, (await reversed(page)).id)),
  screen('run-reversal-completed', async (page) => {
    const { id } = await reversed(page);
    const back = (await runsOf(page, 'stake-payout')).find((run) => run.reverses === id && run.state === 'completed');
    await lines(page, back?.id ?? '');
  }),
  screen('run-lines', async (page) => {
    await lines(page, (await paid(page)).id);
    await page.getByRole('heading', { name: 'Payments', exact: true }).scrollIntoViewIfNeeded();
    await page.evaluate(() => window.scrollBy(0, 600));
  }),
  screen('run-why', async (page) => {
    const { id } = await paid(page);
    const [largest] = (await readRun(page, id)).largest;
    await openRun(page, id);
    await page.locator(`a[href*="${largest?.cause}"]`).first().click();
    await page.getByText('Stake reward', { exact: true }).waitFor();
  }),
  screen('run-why-unpaid', async (page) => {
    const { id } = await paid(page);
    await openRun(page, `${id}?skip=blacklisted`);
    await page
      .getByRole('link', { name: /why, for/ })
      .first()
      .click();
    await page
      .getByText(/^Not paid: the user was blacklisted/)
      .first()
      .waitFor();
  }),
  screen('run-why-reversal', async (page) => {
    const { id } = await reversed(page);
    const back = (await runsOf(page, 'stake-payout')).find((run) => run.reverses === id && run.state === 'completed');
    await lines(page, back?.id ?? '');
    await page
      .getByRole('link', { name: /why, for/ })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByText(/^Reversed/)
      .first()
      .waitFor();
  }),
  screen('user-payments', async (page) => {
    await reversed(page);
    await page.goto('/dashboard/users?search=jdoe88');
    await page.locator('tr[data-row]').getByRole('link').first().click();
    await page.getByRole('link', { name: 'Due and paid' }).click();
    await page.getByText('not paid: no rank').first().scrollIntoViewIfNeeded();
  }),
  screen('ledger-why', async (page) => {
    await paid(page);
    await page.goto('/dashboard/ledger?kind=stake-bonus');
    await page.locator('tr[data-row] .table-name').first().click();
    await page.getByText('Stake bonus', { exact: true }).last().waitFor();
    await page.getByRole('link', { name: /^Stake payout,/ }).waitFor();
  }),
  screen('run-reverse', async (page) => {
    await openRun(page, (await paid(page)).id);
    await press(page, 'Reverse');
    await page.getByLabel('Reason').waitFor();
  }),
  screen('run-reversal', async (page) => {
    const { id } = await paid(page);
    const known = (await runsOf(page, 'stake-payout')).find((run) => run.reverses === id && run.state === 'planned');
    await lines(page, known?.id ?? (await reversal(page, id, 'The rate was wrong.')).id);
    await state(page).waitFor();
  }),
  {
    ...screen('runs', async (page) => {
      await reversed(page);
      await page.reload();
      await page.locator('tr[data-row]').first().waitFor();
    }),
  },
  screen('runs-none', (page) => page.getByText('No runs found.').waitFor(), `${runsAddress}?state=failed`),
  {
    ...screen(
      'run-calendar',
      async (page) => {
        await reversed(page);
        await page.reload();
        await page.locator('.calendar-entry').first().waitFor();
      },
      `${runsAddress}/calendar`,
    ),
  },
];

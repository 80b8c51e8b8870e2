import type { Page } from '@playwright/test';
import { openRun, readRun, rows, runsAddress, runsOf } from './run-page.ts';
import type { Screen } from './screen.ts';

type Picture = Screen & Required<Pick<Screen, 'readme'>>;

/** Opens the newest completed payout. */
async function openPayout(page: Page) {
  const paid = (await runsOf(page, 'stake-payout')).find((run) => run.state === 'completed');
  if (!paid) throw new Error('The demo has no payout.');
  await openRun(page, paid.id);
  await rows(page).first().waitFor();
  return paid.id;
}

/** The pictures of the README, from the demo as a new user sees it. */
export const readmeScreens: readonly Picture[] = [
  {
    name: 'run',
    address: runsAddress,
    signedIn: 'admin',
    readme: { theme: 'light', width: 1440, name: 'run' },
    arrange: openPayout,
  },
  {
    name: 'why',
    address: runsAddress,
    signedIn: 'admin',
    readme: { theme: 'dark', width: 1440, name: 'why-dark' },
    arrange: async (page) => {
      const [largest] = (await readRun(page, await openPayout(page))).largest;
      await page.locator(`a[href*="${largest?.cause}"]`).first().click();
      await page.getByText('Stake reward', { exact: true }).waitFor();
    },
  },
  {
    name: 'approvals',
    address: '/dashboard/approvals',
    signedIn: 'admin',
    readme: { theme: 'light', width: 1440, name: 'approvals' },
    arrange: (page) => rows(page).first().waitFor(),
  },
];

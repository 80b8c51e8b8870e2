import { pressed, type Screen } from './screen.ts';

const jobs = '/dashboard/settings/cronjobs';

export const jobScreens: readonly Screen[] = [
  {
    name: 'stake-payout',
    address: `${jobs}/stake-payout`,
    signedIn: 'admin',
    arrange: pressed('Save Settings'),
  },
  {
    name: 'stake-payout-too-much',
    address: `${jobs}/stake-payout`,
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByLabel('Bonus reward').fill('40');
      await page.getByRole('button', { name: 'Save Settings' }).click();
    },
  },
  {
    name: 'gmp-distro',
    address: `${jobs}/gmp-distro`,
    signedIn: 'admin',
    arrange: (page) => page.getByRole('row').nth(5).waitFor(),
  },
  {
    name: 'referral-check',
    address: `${jobs}/referral-check`,
    signedIn: 'admin',
    arrange: pressed('Run Check'),
  },
  {
    name: 'referral-check-tree',
    address: `${jobs}/referral-check`,
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Check the tree' }).click();
      await page.getByText(/users checked just now/).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'rank-promo',
    address: `${jobs}/rank-promo`,
    signedIn: 'admin',
    arrange: pressed('Promote User'),
  },
  {
    name: 'rank-moves',
    address: `${jobs}/rank-promo`,
    signedIn: 'admin',
    arrange: (page) => page.getByRole('heading', { name: 'Eligible for promotion' }).scrollIntoViewIfNeeded(),
  },
  {
    name: 'rank-bonus',
    address: `${jobs}/rank-bonus`,
    signedIn: 'admin',
    arrange: pressed('Save Rank Bonus'),
  },
];

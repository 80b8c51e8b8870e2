import type { Page } from '@playwright/test';
import { jobScreens } from './job-screens.ts';
import { moneyScreens } from './money-screens.ts';
import { isPhone, toast } from './page-helpers.ts';
import { runScreens } from './run-screens.ts';
import { pressed, type Screen } from './screen.ts';
import { stateScreens } from './state-screens.ts';

const firstRow = (page: Page) => page.locator('tr[data-row]').first().waitFor();
const openFirstRow = (page: Page) => page.locator('tr[data-row] .table-name').first().click();
const firstTicket = (page: Page) => page.getByRole('row').nth(1).getByRole('link').click();
const tomasz = (page: Page) => page.getByRole('row').filter({ hasText: 'tomasz.lind' });

async function openProfile(page: Page) {
  await tomasz(page).getByRole('link', { name: 'View Profile' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
}

async function toggleMaintenance(page: Page) {
  const switched = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('switch', { name: 'Maintenance mode' }).click();
  await switched;
}

async function openUser(page: Page) {
  await page.getByRole('link', { name: 'View Profile' }).first().click();
  await page.getByRole('button', { name: 'Edit Profile' }).waitFor();
}

export const screens: readonly Screen[] = [
  { name: 'login', address: '/login' },
  {
    name: 'login-alert',
    address: '/login',
    arrange: (page) => page.getByRole('button', { name: 'Login' }).click(),
  },
  {
    name: 'home',
    address: '/dashboard',
    signedIn: 'admin',
    arrange: (page) => page.locator('.chart-line').waitFor(),
  },
  {
    name: 'home-tables',
    address: '/dashboard',
    signedIn: 'admin',
    arrange: async (page) => {
      await page.locator('.chart-line').waitFor();
      for (const button of await page.getByRole('button', { name: 'Show as table' }).all()) await button.click();
    },
  },
  {
    name: 'tickets',
    address: '/dashboard/tickets',
    signedIn: 'admin',
    arrange: (page) => page.getByRole('row').nth(1).waitFor(),
  },
  {
    name: 'tickets-narrowed',
    address: '/dashboard/tickets?status=open&search=rank&density=compact',
    signedIn: 'admin',
    arrange: (page) => page.getByRole('row').nth(1).waitFor(),
  },
  { name: 'tickets-none', address: '/dashboard/tickets?search=nothing+like+this', signedIn: 'admin' },
  {
    name: 'ticket',
    address: '/dashboard/tickets?search=wallet+change',
    signedIn: 'admin',
    arrange: async (page) => {
      await firstTicket(page);
      await page.locator('.ticket-thread').waitFor();
    },
  },
  {
    name: 'new-ticket',
    address: '/dashboard/tickets',
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'New Ticket' }).click();
      await page.getByRole('dialog').getByLabel('Subject').waitFor();
    },
  },
  {
    name: 'withdrawals',
    address: '/dashboard/manage-withdraw',
    signedIn: 'admin',
    arrange: firstRow,
  },
  {
    name: 'withdrawal',
    address: '/dashboard/manage-withdraw?status=Failed',
    signedIn: 'admin',
    arrange: async (page) => {
      await openFirstRow(page);
      await page.getByRole('heading', { name: 'Decision' }).waitFor();
    },
  },
  ...moneyScreens,
  ...runScreens,
  { name: 'withdrawals-none', address: '/dashboard/manage-withdraw?search=nobody+like+this', signedIn: 'admin' },
  { name: 'staking', address: '/dashboard/manage-staking', signedIn: 'admin', arrange: firstRow },
  {
    name: 'stake',
    address: '/dashboard/manage-staking?status=Active&sort=date',
    signedIn: 'admin',
    arrange: async (page) => {
      await openFirstRow(page);
      await page.getByRole('progressbar').waitFor();
    },
  },
  {
    name: 'add-plan',
    address: '/dashboard/manage-staking',
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Add plan' }).click();
      await page.getByRole('dialog').getByLabel('Duration in days').waitFor();
    },
  },
  { name: 'tasks', address: '/dashboard/manage-task', signedIn: 'admin', arrange: firstRow },
  {
    name: 'task',
    address: '/dashboard/manage-task?status=Completed',
    signedIn: 'admin',
    arrange: async (page) => {
      await openFirstRow(page);
      await page.getByRole('dialog').getByText('Post URL').waitFor();
    },
  },
  {
    name: 'create-task',
    address: '/dashboard/manage-task',
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Create Task' }).click();
      await page.getByRole('dialog').getByLabel('Title').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Create Task' }).click();
    },
  },
  {
    name: 'reports',
    address: '/dashboard/reports',
    signedIn: 'admin',
    arrange: (page) => page.getByRole('row').nth(1).waitFor(),
  },
  {
    name: 'reports-narrowed',
    address: '/dashboard/reports?tab=task&status=Pending&user=an',
    signedIn: 'admin',
    arrange: (page) => page.getByRole('row').nth(1).waitFor(),
  },
  { name: 'reports-none', address: '/dashboard/reports?tab=staking&user=nobody', signedIn: 'admin' },
  {
    name: 'admins',
    address: '/dashboard/admin',
    signedIn: 'admin',
    arrange: (page) => tomasz(page).waitFor(),
  },
  {
    name: 'add-admin',
    address: '/dashboard/admin',
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Add New Admin' }).click();
      const modal = page.getByRole('dialog');
      await modal.getByLabel('Username').fill('noor.haddad');
      await modal.getByLabel(/^Password/).fill('one of a pair');
      await modal.getByLabel('Confirm Password').fill('not the other');
      await modal.getByRole('button', { name: 'Add Admin', exact: true }).click();
      await toast(page, "Passwords don't match").waitFor();
    },
  },
  {
    name: 'confirm-deletion',
    address: '/dashboard/admin',
    signedIn: 'admin',
    arrange: async (page) => {
      await tomasz(page).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText('Are you sure').waitFor();
    },
  },
  { name: 'admin-profile', address: '/dashboard/admin', signedIn: 'admin', arrange: openProfile },
  {
    name: 'admin-profile-edit',
    address: '/dashboard/admin',
    signedIn: 'admin',
    arrange: async (page) => {
      await openProfile(page);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
    },
  },
  { name: 'no-admin', address: '/dashboard/admin-profile/nobody', signedIn: 'admin' },
  {
    name: 'users',
    address: '/dashboard/users',
    signedIn: 'admin',
    arrange: (page) => page.getByRole('row').nth(1).waitFor(),
  },
  { name: 'users-none', address: '/dashboard/users?search=nothing+like+this', signedIn: 'admin' },
  {
    name: 'delete-user',
    address: '/dashboard/users',
    signedIn: 'admin',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Delete' }).first().click();
      await page.getByRole('dialog').getByText('Are you sure').waitFor();
    },
  },
  {
    name: 'user-profile',
    address: '/dashboard/users?search=mira.k',
    signedIn: 'admin',
    arrange: openUser,
  },
  {
    name: 'user-profile-blacklisted',
    address: '/dashboard/users?blacklisted=yes',
    signedIn: 'admin',
    arrange: openUser,
  },
  {
    name: 'user-profile-edit',
    address: '/dashboard/users?search=mira.k',
    signedIn: 'admin',
    arrange: async (page) => {
      await openUser(page);
      await page.getByRole('button', { name: 'Edit Profile' }).click();
    },
  },
  {
    name: 'referral-tree',
    address: '/dashboard/users?search=mira.k',
    signedIn: 'admin',
    arrange: async (page) => {
      await openUser(page);
      await page.getByRole('link', { name: 'Referral tree' }).click();
      await page.getByRole('treeitem', { expanded: false }).first().locator('.tree-toggle').click();
      await page.getByRole('treeitem', { level: 2 }).first().waitFor();
      await page.getByRole('tree').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'blacklist-user',
    address: '/dashboard/users?search=mira.k',
    signedIn: 'admin',
    arrange: async (page) => {
      await openUser(page);
      await page.getByRole('button', { name: 'Blacklist', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Reason').waitFor();
    },
  },
  { name: 'no-user', address: '/dashboard/user-profile/nobody', signedIn: 'admin' },
  { name: 'maintenance', address: '/dashboard/maintenance', signedIn: 'admin', arrange: toggleMaintenance },
  // Toggled a second time, which restores the initial state.
  { name: 'maintenance-other', address: '/dashboard/maintenance', signedIn: 'admin', arrange: toggleMaintenance },
  {
    name: 'settings',
    address: '/dashboard/settings',
    signedIn: 'admin',
    arrange: pressed('Save Settings'),
  },
  ...jobScreens,
  { name: 'not-found', address: '/dashboard/no-such-screen', signedIn: 'admin' },
  {
    name: 'menu',
    address: '/dashboard/settings',
    signedIn: 'admin',
    onlyUnder: 768,
    arrange: async (page) => {
      if (isPhone(page)) await page.getByRole('button', { name: 'Open menu' }).click();
      await page.getByRole('dialog').getByRole('link', { name: 'Rank Bonus' }).waitFor();
    },
  },
  ...stateScreens,
  { name: 'new-password', address: '/new-password', signedIn: 'newcomer' },
  { name: 'new-password-empty', address: '/new-password', signedIn: 'newcomer', arrange: pressed('Save password') },
];

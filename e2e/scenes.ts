import type { Page } from '@playwright/test';
import { isPhone, toast } from './pieces.ts';

/** One picture: where it is taken and what is done there first. */
export type Scene = {
  name: string;
  address: string;
  signedIn?: 'admin' | 'newcomer';
  /** Looks different only on narrow screens. */
  onlyUnder?: number;
  /** The README shows it in this look and by this name. */
  readme?: { theme: 'light' | 'dark'; width: number; name: string };
  arrange?: (page: Page) => Promise<unknown>;
};

const firstTicket = (page: Page) => page.getByRole('row').nth(1).getByRole('link').click();
const tomasz = (page: Page) => page.getByRole('row').filter({ hasText: 'tomasz.lind' });

async function openProfile(page: Page) {
  await tomasz(page).getByRole('link', { name: 'View Profile' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
}

export const scenes: readonly Scene[] = [
  { name: 'login', address: '/login' },
  {
    name: 'login-alert',
    address: '/login',
    arrange: (page) => page.getByRole('button', { name: 'Login' }).click(),
  },
  { name: 'home', address: '/dashboard', signedIn: 'admin' },
  {
    name: 'tickets',
    address: '/dashboard/tickets',
    signedIn: 'admin',
    readme: { theme: 'light', width: 1440, name: 'tickets' },
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
    readme: { theme: 'dark', width: 1440, name: 'ticket-dark' },
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
    name: 'admins',
    address: '/dashboard/admin',
    signedIn: 'admin',
    readme: { theme: 'light', width: 390, name: 'admins-phone' },
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
  { name: 'not-built', address: '/dashboard/settings/cronjobs/gmp-distro', signedIn: 'admin' },
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
  { name: 'new-password', address: '/new-password', signedIn: 'newcomer' },
];

import type { Page } from '@playwright/test';
import type { Screen } from './screen.ts';

const profile = (name: string, arrange: Screen['arrange']): Screen => ({
  name,
  address: '/dashboard/users?search=mira.k',
  signedIn: 'admin',
  ...(arrange && { arrange }),
});

const openProfile = (page: Page) => page.getByRole('link', { name: 'View Profile' }).first().click();

/** Opens a form of the profile and submits it without a reason. */
const sentEmpty = (button: string, send: string) => async (page: Page) => {
  await openProfile(page);
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: send, exact: true }).click();
  await page.getByRole('dialog').locator('[aria-invalid="true"]').waitFor();
};

/** Answers a call in place of the server while the screen opens: two Super Admins would be needed to get there. */
async function whileAnswering(page: Page, given: { path: string; answer: object }, open: () => Promise<unknown>) {
  await page.route(given.path, (route) => route.fulfill({ json: given.answer }));
  await open();
  await page.unroute(given.path);
}

const id = '0198c0de-0000-7000-8000-000000000001';
const reason = 'Court order 4 O 218/26';

const showKey = (page: Page) => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const reveal = { id, approval: id, state: 'approved', reason, expiresAt };
  const privateKey = '4Z7cXSyeFR8wNGMVXUE1TwtKn5D5Vu7FzEv69dokLv7KrQk7h6pu4LF8ZRR9yQBhc7uSM6RTTZtU1fmaxiNrxXrs';
  return whileAnswering(page, { path: '**/key-reveal', answer: { reveal } }, async () => {
    await openProfile(page);
    await page.getByRole('button', { name: 'Open private key' }).click();
    await whileAnswering(page, { path: '**/key-reveals/*/open', answer: { privateKey } }, async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Show key' }).click();
      await page.getByText(privateKey).waitFor();
    });
  });
};

const openedKeys = (page: Page) => {
  const user = { id, userId: 'S100001320', username: 'mira.k' };
  const openedAt = new Date(Date.now() - 240_000).toISOString();
  const opened = { id, user, reason, openedBy: 'ines.moreau', approvedBy: 'tomasz.lind', openedAt };
  return whileAnswering(page, { path: '**/opened-keys', answer: { opened: [opened] } }, async () => {
    await page.reload();
    await page.getByText('Opened keys').waitFor();
    await page.locator('.chart-line').waitFor();
  });
};

/** A user's private key and password, and what Home says of an opened key. */
export const secretScreens: readonly Screen[] = [
  profile('user-key-request', sentEmpty('Reveal private key', 'Request key')),
  profile('user-key-shown', showKey),
  profile('user-password-reset', sentEmpty('Reset password', 'Reset password')),
  { name: 'home-opened-keys', address: '/dashboard', signedIn: 'admin', arrange: openedKeys },
];

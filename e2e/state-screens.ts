import type { Page } from '@playwright/test';
import { callApi, freshName, openSidebar, toast } from './page-helpers.ts';
import type { Screen } from './screen.ts';
import { secretScreens } from './secret-screens.ts';

const admin = (name: string, address: string, arrange?: Screen['arrange']): Screen => ({
  name,
  address: `/dashboard/${address}`,
  signedIn: 'admin',
  ...(arrange && { arrange }),
});

/** Opens the form behind a button and submits it empty, so that every field shows its error. */
const sentEmpty = (button: string, send: string) => async (page: Page) => {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: send, exact: true }).click();
  await page.getByRole('dialog').locator('[aria-invalid="true"]').first().waitFor();
};

type UserRow = { id: string; userId: string; rank: string };

async function promoteSomebody(page: Page) {
  const { users } = (await callApi(page, 'GET', { path: '/api/users?limit=100' })).json as { users: UserRow[] };
  const profiles = users.map(async ({ id }) => (await callApi(page, 'GET', { path: `/api/users/${id}` })).json);
  const found = (await Promise.all(profiles)) as { user: UserRow }[];
  const below = found.find(({ user }) => user.rank !== 'Platinum')?.user;
  await page.getByLabel('User ID').fill(below?.userId ?? '');
  await page.getByLabel('New rank').selectOption('Platinum');
  await page.getByLabel('Reason').fill('A good year.');
  await page.getByRole('button', { name: 'Promote User' }).click();
  await page.getByText('to Platinum was sent to a second approver.').waitFor();
}

const userTab = (name: string) => async (page: Page) => {
  await page.getByRole('link', { name: 'View Profile' }).first().click();
  await page.getByRole('navigation', { name: 'Related to this user' }).getByRole('link', { name }).click();
  await page.locator('.user-related table[aria-busy="false"]').waitFor();
};

/** Forms submitted empty or with errors, empty lists, and screens after an action. */
export const stateScreens: readonly Screen[] = [
  admin('add-admin-empty', 'admin', sentEmpty('Add New Admin', 'Add Admin')),
  admin('new-ticket-empty', 'tickets', sentEmpty('New Ticket', 'Submit Ticket')),
  admin('integrations', 'integrations', (page) => page.getByText('No API keys yet.').waitFor()),
  admin('create-api-key-empty', 'integrations', sentEmpty('Create API key', 'Create API key')),
  admin('webhooks', 'integrations?tab=webhooks', (page) => page.getByText('No webhooks yet.').waitFor()),
  admin('add-webhook-empty', 'integrations?tab=webhooks', sentEmpty('Add webhook', 'Add webhook')),
  admin('security', 'security', (page) => page.getByText('This session').waitFor()),
  admin('security-app', 'security', async (page) => {
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByAltText('QR code for your authenticator app').waitFor();
  }),
  admin('security-passkey-empty', 'security', sentEmpty('Add passkey', 'Add passkey')),
  admin('add-plan-empty', 'manage-staking', sentEmpty('Add plan', 'Add plan')),
  admin('audit', 'audit', (page) => page.locator('tr[data-row]').first().waitFor()),
  admin('audit-row', 'audit', async (page) => {
    const body = { type: freshName('audited'), description: 'Closed at once.' };
    const { id } = (await callApi(page, 'POST', { path: '/api/tickets', body })).json as { id: string };
    await callApi(page, 'PATCH', { path: `/api/tickets/${id}/status`, body: { status: 'closed' } });
    await page.goto('/dashboard/audit?action=tickets.set-status');
    await page.locator('tr[data-row] .table-name').first().click();
    await page.locator('.audit-diff').waitFor();
  }),
  admin('audit-trail', 'manage-task', async (page) => {
    await page.locator('tr[data-row] .table-name').first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Trail' }).click();
    await page.getByRole('dialog').locator('.trail-entry, .trail-note').first().waitFor();
  }),
  admin('gmp-distro-saved', 'settings/cronjobs/gmp-distro', async (page) => {
    await page.getByRole('button', { name: 'Save Settings' }).click();
    await page.getByRole('main').getByRole('alert').waitFor();
  }),
  admin('rank-promo-empty', 'settings/cronjobs/rank-promo', (page) => page.getByLabel('User ID').waitFor()),
  admin('rank-promoted', 'settings/cronjobs/rank-promo', promoteSomebody),
  ...secretScreens,
  admin('tasks-none', 'manage-task?search=nothing+like+this'),
  admin('users-blacklisted', 'users?blacklisted=yes'),
  admin('tickets-columns', 'tickets?search=wallet&status=closed&columns=type,username,actions&density=compact'),
  admin('reports-staking', 'reports?tab=staking&status=Ended'),
  admin('user-profile-wrong', 'users?search=mira.k', async (page) => {
    await page.getByRole('link', { name: 'View Profile' }).first().click();
    await page.getByRole('button', { name: 'Edit Profile' }).click();
    await page.getByLabel('Referral code').fill('A');
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await page.locator('[aria-invalid="true"]').first().waitFor();
  }),
  admin('user-photo-refused', 'users?search=mira.k', async (page) => {
    await page.getByRole('link', { name: 'View Profile' }).first().click();
    await page.getByRole('button', { name: 'Edit Profile' }).click();
    const text = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('text') };
    await page.locator('input[type="file"]').setInputFiles(text);
    await page.getByText('The photo must be an image file.').waitFor();
  }),
  ...['Stakes', 'Withdrawals', 'Tasks', 'Tickets', 'Rank history', 'Audit trail'].map((tab) =>
    admin(`user-${tab.toLowerCase().replace(' ', '-')}`, 'users?search=mira.k', userTab(tab)),
  ),
  admin('sidebar-settings', 'users', async (page) => {
    await (await openSidebar(page)).getByRole('button', { name: 'Settings' }).click();
  }),
  admin('account-menu', 'tickets', async (page) => {
    await page.getByRole('button', { name: 'Signed in as' }).click();
    await page.getByRole('menuitem', { name: 'Change password' }).waitFor();
  }),
  { name: 'change-password', address: '/new-password', signedIn: 'admin' },
  admin('settings-saved', 'settings', async (page) => {
    await page.getByLabel('Full name').fill('Ines Moreau');
    await page.getByLabel('Email').fill('ines@example.com');
    await page.getByRole('button', { name: 'Save Settings' }).click();
    await page.getByText('Settings updated successfully!').waitFor();
  }),
  admin('ticket-submitted', 'tickets', async (page) => {
    await page.getByRole('button', { name: 'New Ticket' }).click();
    await page.getByLabel('Subject').fill(freshName('submitted'));
    await page.getByLabel('Description').fill('Shows a toast.');
    await page.getByRole('button', { name: 'Submit Ticket' }).click();
    await toast(page, 'Ticket submitted').waitFor();
  }),
];

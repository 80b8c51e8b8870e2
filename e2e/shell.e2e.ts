import type { Page } from '@playwright/test';
import { expectAccessible, waitUntilIdle } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { demoUser } from './demo-users.ts';
import { callApi, heading, isPhone, openSidebar } from './page-helpers.ts';
import { desktopOnly, inGate, inGateOnBoth, inGatePhone, onceOnly, phoneOnly } from './tags.ts';

/** The label, address and screen title of each link, in the order of the specification. */
const mainLinks = [
  ['Home', '/dashboard', 'Analytics'],
  ['Users', '/dashboard/users', 'User Management'],
  ['Ticketing', '/dashboard/tickets', 'Support Tickets'],
  ['Manage Withdrawals', '/dashboard/manage-withdraw', 'Withdrawal Management'],
  ['Manage Staking', '/dashboard/manage-staking', 'Staking Management'],
  ['Task Management', '/dashboard/manage-task', 'Task Management'],
  ['Reports', '/dashboard/reports', 'Reports'],
  ['Maintenance', '/dashboard/maintenance', 'Maintenance'],
  ['Admin', '/dashboard/admin', 'Admin Panel'],
] as const;

const settingsLinks = [
  ['Settings', '/dashboard/settings', 'Settings'],
  ['Stake Payout Job', '/dashboard/settings/cronjobs/stake-payout', 'Stake Payout Settings'],
  ['GMP Distro Job', '/dashboard/settings/cronjobs/gmp-distro', 'GMP Distribution'],
  ['Referral Check Job', '/dashboard/settings/cronjobs/referral-check', 'Referral Check'],
  ['Rank Promo', '/dashboard/settings/cronjobs/rank-promo', 'Rank Promotion'],
  ['Rank Bonus', '/dashboard/settings/cronjobs/rank-bonus', 'Rank Bonus'],
] as const;

const oversightLinks = [
  ['Approvals', '/dashboard/approvals', 'Approvals'],
  ['Runs', '/dashboard/runs', 'Runs'],
  ['Ledger', '/dashboard/ledger', 'Ledger'],
  ['Audit Log', '/dashboard/audit', 'Audit Log'],
  ['Integrations', '/dashboard/integrations', 'Integrations'],
  ['Security', '/dashboard/security', 'Security'],
] as const;

const allLinks = [...mainLinks, ...settingsLinks, ...oversightLinks];

test('the sidebar has the specified links in the specified order', inGateOnBoth, async ({ page }) => {
  await page.goto('/dashboard/settings');
  const sidebar = await openSidebar(page);
  await expect(sidebar.getByRole('button', { name: 'Settings' })).toHaveAttribute('aria-expanded', 'true');
  await expect(sidebar.getByText('Cronjobs', { exact: true })).toBeVisible();
  await expect(sidebar.locator('.sidebar-foot').getByRole('button')).toHaveText([/mode$/, 'Logout']);
  const links = sidebar.locator('nav a');
  await expect(links).toHaveText(allLinks.map(([label]) => label));
  for (const [index, [, address]] of allLinks.entries())
    await expect(links.nth(index)).toHaveAttribute('href', address);
});

test('the Settings dropdown opens and closes', async ({ page }) => {
  await page.goto('/dashboard');
  const sidebar = await openSidebar(page);
  const dropdown = sidebar.getByRole('button', { name: 'Settings' });
  const inside = settingsLinks.map(([label]) => sidebar.getByRole('link', { name: label, exact: true }));
  for (const link of inside) await expect(link).toBeHidden();
  await dropdown.click();
  for (const link of inside) await expect(link).toBeVisible();
  await dropdown.click();
  for (const link of inside) await expect(link).toBeHidden();
});

test('every sidebar link opens its screen and is the only one highlighted there', inGate, async ({ page }) => {
  test.setTimeout(120_000);
  await page.goto('/dashboard/settings');
  await expect(heading(page, 'Settings')).toBeVisible();
  for (const [label, address, title] of allLinks) {
    const sidebar = await openSidebar(page);
    const link = sidebar.locator(`nav a[href="${address}"]`);
    if (!(await link.isVisible())) await sidebar.getByRole('button', { name: 'Settings' }).click();
    await link.click();
    await expect(page).toHaveURL(address);
    await expect(heading(page, title)).toBeVisible();
    if (isPhone(page)) await expect(page.getByRole('dialog')).toHaveCount(0);
    else await expectHighlighted(page, label);
  }
});

async function expectHighlighted(page: Page, label: string) {
  const current = page.locator('.layout-sidebar nav a[aria-current="page"]');
  await expect(current).toHaveText([label]);
  const plain = page.locator('.layout-sidebar nav a:not([aria-current])').last();
  const ground = (link: typeof current) => link.evaluate((element) => getComputedStyle(element).backgroundColor);
  await waitUntilIdle(page);
  expect(await ground(current)).not.toBe(await ground(plain));
}

const byAddressAlone = [
  ['/dashboard/runs/1', 'Run'],
  ['/dashboard/runs/calendar', 'Run calendar'],
] as const;

test('every screen of the route table opens by its URL alone', async ({ page }) => {
  test.setTimeout(120_000);
  const screens = [...allLinks.map(([, address, title]) => [address, title] as const), ...byAddressAlone];
  for (const [address, title] of screens) {
    await page.goto(address);
    await expect(heading(page, title)).toBeVisible();
    await expect(page).toHaveTitle(`${title} · Bursar`);
  }
  const user = await demoUser(page, 3);
  const { json } = await callApi(page, 'GET', { path: '/api/admin/all' });
  const [admin] = (json as { admins: { id: string; username: string }[] }).admins;
  for (const [address, title, username] of [
    [user.address, 'User Profile', user.username],
    [`/dashboard/admin-profile/${admin?.id}`, 'Admin Profile', admin?.username],
  ] as const) {
    await page.goto(address);
    await expect(heading(page, title)).toBeVisible();
    await expect(page).toHaveTitle(`${title} · Bursar`);
    await expect(page.locator('dt', { hasText: 'Username' }).locator('+ dd')).toHaveText(String(username));
  }
});

test('an unknown URL shows a page that leads back', onceOnly, async ({ page }) => {
  await page.goto('/dashboard/no-such-screen');
  await expect(heading(page, 'Page not found')).toBeVisible();
  await page.getByRole('link', { name: 'Go to the dashboard' }).click();
  await expect(page).toHaveURL('/dashboard');
});

test('the top bar has the logo and says who is signed in', async ({ page }) => {
  await page.goto('/dashboard/reports');
  const bar = page.getByRole('banner');
  await expect(bar.getByRole('button', { name: /^Signed in as ines\.moreau/ })).toBeVisible();
  const logo = bar.getByRole('link', { name: /Bursar/ });
  await expect(logo.locator('svg')).toBeVisible();
  await logo.click();
  await expect(page).toHaveURL('/dashboard');
});

test(
  'on desktop the sidebar is 250px wide, collapses, and stays collapsed after a reload',
  desktopOnly,
  async ({ page }) => {
    await page.goto('/dashboard');
    const sidebar = page.locator('.layout-sidebar');
    const width = async () => (await sidebar.boundingBox())?.width;
    await expect(sidebar.getByRole('link', { name: 'Home' })).toBeVisible();
    expect(await sidebar.boundingBox()).toMatchObject({ x: 0, width: 250 });
    expect(await sidebar.evaluate((element) => getComputedStyle(element).position)).toBe('fixed');

    await page.getByRole('button', { name: 'Collapse sidebar' }).click();
    await expect.poll(width).toBeLessThan(100);
    await page.reload();
    await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible();
    expect(await width()).toBeLessThan(100);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Expand sidebar' }).click();
    await expect.poll(width).toBe(250);
  },
);

test('the sidebar becomes a drawer under 768px and not before', desktopOnly, async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 900 });
  await page.goto('/dashboard');
  await expect(page.locator('.layout-sidebar')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeHidden();
  await page.setViewportSize({ width: 767, height: 900 });
  await expect(page.locator('.layout-sidebar')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeVisible();
});

test('on a phone the sidebar is a drawer of 80% of the width', inGatePhone, async ({ page }) => {
  await page.goto('/dashboard');
  await expect(page.getByRole('banner').getByRole('button', { name: 'Open menu' })).toBeVisible();
  const drawer = await openSidebar(page);
  await waitUntilIdle(page);
  const box = await drawer.boundingBox();
  expect(box?.x).toBe(0);
  expect(box?.width).toBe(390 * 0.8);
});

const closings: Record<string, (page: Page) => Promise<unknown>> = {
  'its close button': (page) => page.getByRole('dialog').getByRole('button', { name: 'Close' }).click(),
  'choosing a link': (page) => page.getByRole('dialog').getByRole('link', { name: 'Reports' }).click(),
  Escape: (page) => page.keyboard.press('Escape'),
  'resizing to desktop width': (page) => page.setViewportSize({ width: 1024, height: 844 }),
};

for (const [how, close] of Object.entries(closings)) {
  test(`the drawer closes by ${how}`, phoneOnly, async ({ page }) => {
    await page.goto('/dashboard');
    await openSidebar(page);
    await close(page);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    // On a narrow screen it is still closed: the resize closed it instead of only hiding it.
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.getByRole('button', { name: 'Open menu' })).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
}

test(
  'the theme is toggled, stored under theme, flagged on the body, and kept after a reload',
  inGateOnBoth,
  async ({ page, theme }) => {
    await page.goto('/dashboard');
    const other = theme === 'dark' ? 'light' : 'dark';
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const ink = () => page.evaluate(() => getComputedStyle(document.body).color);
    await expectTheme(page, theme);
    const before = [await ground(), await ink()];
    const sidebar = await openSidebar(page);
    await sidebar.getByRole('button', { name: other === 'dark' ? 'Dark mode' : 'Light mode' }).click();
    await expectTheme(page, other);
    expect(await ground()).not.toBe(before[0]);
    expect(await ink()).not.toBe(before[1]);
    await page.reload();
    await expect(heading(page, 'Analytics')).toBeVisible();
    await expectTheme(page, other);
    expect(await ground()).not.toBe(before[0]);
  },
);

test('the theme is dark only if the stored value is dark', onceOnly, async ({ page }) => {
  await page.goto('/dashboard');
  await page.evaluate(() => localStorage.setItem('theme', 'DARK'));
  await page.reload();
  await expect(heading(page, 'Analytics')).toBeVisible();
  await expect(page.locator('body')).not.toHaveClass(/dark-mode/);
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
});

async function expectTheme(page: Page, theme: 'light' | 'dark') {
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
  await expect(page.locator('body')).toHaveAttribute('data-theme', theme);
  if (theme === 'dark') await expect(page.locator('body')).toHaveClass(/dark-mode/);
  else await expect(page.locator('body')).not.toHaveClass(/dark-mode/);
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe(theme);
}

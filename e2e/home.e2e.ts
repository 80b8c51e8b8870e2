import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { forgetNewAccounts, storeJob } from './owner.ts';
import { addTicket, answerFault, callApi, freshName, heading } from './page-helpers.ts';
import { inGate, onceOnly } from './tags.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul'];
const actions = ['Login', 'Sign-up', 'Purchases', 'Messages', 'Support'];
const interactions = ['Browsing', 'Checkout', 'Referrals', 'Edits'];

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' });

async function openHome(page: Page) {
  await page.goto('/dashboard');
  await expect(heading(page, 'Analytics')).toBeVisible();
  await expect(page.locator('.chart-line')).toBeVisible();
}

async function saveName(page: Page, fullName: string) {
  const { json } = await callApi(page, 'GET', { path: '/api/settings' });
  const { version } = (json as { settings: { version: number } }).settings;
  const body = { fullName, email: 'a@example.com', theme: 'light', notifications: false, version };
  expect((await callApi(page, 'POST', { path: '/api/settings', body })).status).toBe(200);
}

test('the home page welcomes the administrator by name', async ({ visit }) => {
  const page = await visit({ as: 'tomasz.lind' });
  await openHome(page);
  await expect(page.getByText('Welcome, tomasz.lind.')).toBeVisible();
  await expect(page.getByText(/needs? attention\.$/)).toBeVisible();
  await saveName(page, 'Tomasz Lind');
  await expect(page.getByText('Welcome, Tomasz Lind.')).toBeVisible();
});

test(
  'four charts show registrations from Jan to Jul, actions, interactions and 76 percent engagement',
  inGate,
  async ({ page }) => {
    await openHome(page);
    const line = card(page, 'User registrations').getByRole('figure');
    await expect(line).toHaveAccessibleName(
      new RegExp(`^User registrations by month: ${months.join(' [\\d,]+, ')} [\\d,]+$`),
    );
    await expect(line.locator('.chart-name')).toHaveText(months);
    await expect(line.locator('path.chart-line')).toHaveCount(1);
    const bars = card(page, 'User actions').getByRole('figure');
    await expect(bars).toHaveAccessibleName(new RegExp(`^User actions: ${actions.join(' [\\d,]+, ')} [\\d,]+$`));
    await expect(bars.locator('.chart-name')).toHaveText(actions);
    await expect(bars.locator('.chart-column')).toHaveCount(5);
    const pie = card(page, 'Interactions').getByRole('figure');
    await expect(pie).toHaveAccessibleName(new RegExp(`^Interactions: ${interactions.join(' [\\d,]+, ')} [\\d,]+$`));
    const slices = pie.locator('.chart-slice');
    await expect(slices).toHaveCount(4);
    // A slice of a pie reaches the center; a slice of a ring does not.
    for (const slice of await slices.all()) await expect(slice).toHaveAttribute('d', /L0,0Z$/);
    await expect(card(page, 'Interactions').getByRole('listitem')).toHaveText(
      interactions.map((name) => new RegExp(`^${name}\\d+%$`)),
    );
    const gauge = card(page, 'Engagement').getByRole('figure');
    await expect(gauge).toHaveAccessibleName(/^Engagement: 76 percent, \d+ of \d+ users$/);
    await expect(gauge).toContainText('76%');
  },
);

test('the charts show the figures of the server', onceOnly, async ({ page }) => {
  const answered = page.waitForResponse('**/api/reports/analytics');
  await openHome(page);
  const figures = (await (await answered).json()) as Record<'registrations' | 'actions', { count: number }[]>;
  const heights = await card(page, 'User actions')
    .locator('.chart-column')
    .evaluateAll((columns) => columns.map((column) => column.getBoundingClientRect().height));
  const highest = Math.max(...figures.actions.map(({ count }) => count));
  const tallest = Math.max(...heights);
  for (const [index, { count }] of figures.actions.entries())
    expect(Math.abs((heights[index] ?? 0) / tallest - count / highest), actions[index]).toBeLessThan(0.02);
  await expect(card(page, 'User actions').locator('.chart-value')).toHaveText(
    figures.actions.map(({ count }) => count.toLocaleString('en')),
  );
});

test('every chart can be read as a table, by keyboard', async ({ page }) => {
  await openHome(page);
  for (const [name, columns, rows] of [
    ['User registrations', ['Month', 'Registrations'], months],
    ['User actions', ['Action', 'Count'], actions],
    ['Interactions', ['Interaction', 'Count'], interactions],
    ['Engagement', ['Measure', 'Value'], ['Active users', 'All users', 'Engagement']],
  ] as const) {
    const button = card(page, name).getByRole('button', { name: 'Show as table' });
    // Only the size is compared, because the page may scroll to the focused button.
    const sizeOf = async () => {
      const { width, height } = (await card(page, name).boundingBox()) ?? {};
      return { width, height };
    };
    const size = await sizeOf();
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(button).toHaveAttribute('aria-pressed', 'true');
    const table = card(page, name).getByRole('table', { name });
    await expect(table.getByRole('columnheader')).toHaveText([...columns]);
    await expect(table.getByRole('rowheader')).toHaveText([...rows]);
    await expect(table.getByRole('cell').first()).toHaveText(/^[\d,]+$/);
    expect(await sizeOf()).toEqual(size);
    await page.keyboard.press('Enter');
    await expect(card(page, name).getByRole('figure')).toBeVisible();
  }
});

test('the colors of the charts follow the flag on the body', async ({ page }) => {
  await openHome(page);
  const colors = () =>
    page.evaluate(() =>
      ['.chart-line', '.chart-column', '.chart-slice', '.chart-gauge'].map((part) => {
        const style = getComputedStyle(document.querySelector(part) ?? document.body);
        return `${style.stroke} ${style.fill}`;
      }),
    );
  const before = await colors();
  await page.evaluate(() => document.body.classList.toggle('dark-mode'));
  // The colors may only change in the next frame.
  await expect(async () => {
    const after = await colors();
    for (const [index, color] of after.entries()) expect(color).not.toBe(before[index]);
  }).toPass();
});

test(
  'items that need attention are above the charts, and each links to its screen',
  inGate,
  async ({ page, environment }) => {
    await forgetNewAccounts(environment);
    const figures = page.waitForResponse('**/api/withdrawals/figures');
    const tickets = page.waitForResponse('**/api/tickets/count');
    const approvals = page.waitForResponse('**/api/approvals/count');
    await openHome(page);
    const { pending } = (await (await figures).json()) as { pending: { count: number } };
    const { open } = (await (await tickets).json()) as { open: number };
    const { waiting } = (await (await approvals).json()) as { waiting: number };
    const links = attention(page).getByRole('link');
    await expect(links.nth(0)).toContainText(`Pending withdrawals${pending.count.toLocaleString('en')}$`);
    await expect(links.nth(0)).toContainText('awaiting approval');
    await expect(links.nth(1)).toContainText(`Open tickets${open.toLocaleString('en')}`);
    await expect(links.nth(2)).toContainText(`Waiting approvals${waiting.toLocaleString('en')}`);
    await expect(links.nth(3)).toContainText(/Failed runs\d/);
    await expect(links.nth(4)).toContainText('MaintenanceRunning Normally');
    await expect(attention(page)).toContainText('View run history');
    const targets = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(targets).toEqual([
      '/dashboard/manage-withdraw?status=Pending',
      '/dashboard/tickets?status=open',
      '/dashboard/approvals?state=waiting',
      '/dashboard/runs?state=failed',
      '/dashboard/maintenance',
      '/dashboard/settings/cronjobs/stake-payout',
      '/dashboard/settings/cronjobs/gmp-distro',
      '/dashboard/runs',
    ]);
    const [above, below] = [await attention(page).boundingBox(), await card(page, 'User registrations').boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThan(below?.y ?? 0);
  },
);

const distribution = {
  amount: '1000.00',
  frequency: 'Daily',
  time: '00:00',
  enabled: true,
  weekday: 1,
  utcOffset: 0,
  percentage: 100,
};

test(
  'another administrator’s change appears on the cards within a second',
  onceOnly,
  async ({ page, visit, environment }) => {
    await storeJob(environment, 'gmp-distro', distribution);
    const colleague = await visit({ as: 'ines.moreau', server: 'second' });
    await colleague.goto('/dashboard/maintenance');
    const stream = page.waitForResponse('**/api/events');
    await openHome(page);
    await stream;
    const open = attention(page)
      .getByRole('link', { name: /^Open tickets/ })
      .locator('.home-tile-value');
    const before = Number((await open.textContent())?.replaceAll(',', ''));
    await addTicket(colleague, { type: freshName('home') });
    await expect(open).toHaveText((before + 1).toLocaleString('en'), { timeout: 1_000 });

    const setMaintenance = (active: boolean) =>
      callApi(colleague, 'POST', { path: '/api/maintenance', body: { active } });
    await setMaintenance(true);
    await expect(attention(page).getByText('Active (Under Maintenance)')).toBeVisible({ timeout: 1_000 });
    await setMaintenance(false);
    await expect(attention(page).getByText('Running Normally')).toBeVisible({ timeout: 1_000 });

    const next = attention(page).getByRole('link', { name: /^GMP distribution/ });
    await expect(next).toContainText(/in \d|within a minute/);
    const { settings, version } = (await callApi(colleague, 'GET', { path: '/api/jobs/gmp-distro' })).json as {
      settings: object;
      version: number;
    };
    const body = { settings: { ...settings, enabled: false }, version };
    await callApi(colleague, 'POST', { path: '/api/jobs/gmp-distro', body });
    await expect(next).not.toContainText(/in \d|within a minute/, { timeout: 1_000 });
  },
);

test('the layout does not shift while the page loads', async ({ freshPage: page, environment }) => {
  await forgetNewAccounts(environment);
  await page.addInitScript(() => {
    const seen: { moved: string; by: number }[] = [];
    Object.assign(window, { shifts: seen });
    type Shift = { value: number; sources: { node: Element | null }[] };
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as unknown as Shift[])
        seen.push({ moved: sources.map(({ node }) => node?.className || node?.nodeName).join(', '), by: value });
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await openHome(page);
  // The stream of live updates never ends, so waiting for an idle network is not possible.
  await page.waitForTimeout(1_500);
  const shifts = await page.evaluate(() => (window as unknown as { shifts: { by: number }[] }).shifts);
  expect(
    shifts.reduce((all, { by }) => all + by, 0),
    JSON.stringify(shifts),
  ).toBeLessThan(0.01);
});

test('charts that fail to load say so and can be retried; the cards remain', onceOnly, async ({ page, watch }) => {
  watch.expectFailureOf('/api/reports/analytics');
  let requests = 0;
  await page.route('**/api/reports/analytics', (route) => {
    requests += 1;
    return answerFault(route);
  });
  const connected = page.waitForResponse('**/api/events');
  await page.goto('/dashboard');
  await expect(page.getByText('The charts could not be loaded.')).toBeVisible();
  // Live updates may fetch once more when they connect. After that, only Retry sends a request.
  await connected;
  await expect
    .poll(async () => {
      const before = requests;
      await page.waitForTimeout(500);
      return requests - before;
    })
    .toBe(0);
  await expect(attention(page).getByRole('link', { name: /^Pending withdrawals \d/ })).toBeVisible();
  await page.unroute('**/api/reports/analytics');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.locator('.chart-line')).toBeVisible();
});

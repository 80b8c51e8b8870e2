import { connect } from '../server/src/core/db/db.ts';
import { expect, test } from './fixtures.ts';
import { heading, isPhone } from './page-helpers.ts';
import {
  arrived,
  ask,
  fetchAll,
  footer,
  openReports as open,
  reports,
  rowsOf as rows,
  searchOf,
  tab,
} from './reports-page.ts';
import { inGateDesktop, onceOnly } from './tags.ts';

test('there are three tabs, each with its columns', inGateDesktop, async ({ page }) => {
  await open(page);
  await expect(page.getByRole('tab')).toHaveText(reports.map(({ name }) => name));
  await expect(tab(page, 'Withdrawal Reports')).toHaveAttribute('aria-selected', 'true');
  for (const { name, tab: key, column } of reports) {
    await tab(page, name).click();
    await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('columnheader')).toHaveText(['#', 'User', column, 'Date', 'Status']);
    await arrived(page);
    const { rows: first, total } = await ask(page, `${key}?limit=10`);
    await expect(rows(page)).toHaveCount(10);
    await expect(footer(page)).toHaveText(`Showing 1 to 10 of ${total.count} entries`);
    const [row] = first;
    const cells = await rows(page).first().locator('td').allTextContents();
    const value =
      row?.task ?? `$${Number(row?.amount ?? row?.stake).toLocaleString('en', { minimumFractionDigits: 2 })}`;
    expect(cells).toEqual(['1', row?.user, value, row?.date, row?.status]);
    expect(row?.date).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
  await page.reload();
  await expect(tab(page, 'Task Reports')).toHaveAttribute('aria-selected', 'true');
  expect(searchOf(page)).toEqual({ tab: 'task' });
});

test('the sample tasks are among the tasks', onceOnly, async ({ page }) => {
  await open(page, '?tab=task');
  const tasks = new Set((await fetchAll(page, 'task')).map(({ task }) => task));
  expect(tasks).toContain('Invite 5 friends');
  expect(tasks).toContain('Connect wallet');
});

test('the status badge is green for Completed or Active, otherwise a warning', async ({ page }) => {
  const green: [string, string][] = [
    ['withdrawal', 'Completed'],
    ['staking', 'Active'],
    ['task', 'Completed'],
  ];
  const warning: [string, string][] = [
    ['withdrawal', 'Pending'],
    ['staking', 'Ended'],
    ['task', 'Pending'],
  ];
  const colors = new Map<string, Set<string>>();
  for (const [tone, cases] of [
    ['green', green],
    ['warning', warning],
  ] as const) {
    for (const [key, status] of cases) {
      await open(page, `?tab=${key}&status=${status}`);
      const badge = rows(page).first().locator('.report-badge').first();
      await expect(badge).toHaveText(status);
      await expect(badge).toHaveAttribute('data-tone', tone === 'green' ? 'good' : 'warning');
      const color = await badge.evaluate((element) => getComputedStyle(element).backgroundColor);
      colors.set(tone, (colors.get(tone) ?? new Set()).add(color));
    }
  }
  expect([...(colors.get('green') ?? [])]).toHaveLength(1);
  expect([...(colors.get('warning') ?? [])]).toHaveLength(1);
  expect(colors.get('green')).not.toEqual(colors.get('warning'));
  const [ink] = colors.get('green') ?? [];
  const [redness = 0, greenness = 0, blueness = 0] = (ink?.match(/[\d.]+/g) ?? []).map(Number);
  expect(greenness, `${ink} is green`).toBeGreaterThan(Math.max(redness, blueness));
});

test('the user filter finds any part of a name in any case', onceOnly, async ({ page }) => {
  await open(page);
  const everyone = await fetchAll(page, 'withdrawal');
  const part = (everyone[0]?.user ?? '').slice(0, 4);
  const wanted = everyone.filter(({ user }) => user.toLowerCase().includes(part.toLowerCase()));
  await page.getByLabel('User', { exact: true }).fill(part.toUpperCase());
  await expect.poll(() => searchOf(page)['user']).toBe(part.toUpperCase());
  await arrived(page);
  await expect(footer(page)).toHaveText(`Showing 1 to ${Math.min(10, wanted.length)} of ${wanted.length} entries`);
  await page.reload();
  await arrived(page);
  await expect(rows(page)).toHaveCount(Math.min(10, wanted.length));
  await expect(page.getByLabel('User', { exact: true })).toHaveValue(part.toUpperCase());
  await page.goBack();
  await expect(page.getByLabel('User', { exact: true })).toHaveValue('');
});

test('a search for one or two letters says where it looks', onceOnly, async ({ page }) => {
  await open(page, '?user=an');
  const hint = 'Fewer than three letters are looked for in the newest 100,000 rows only.';
  await expect(page.getByText(hint)).toBeVisible();
  await expect(page.getByLabel('User', { exact: true })).toHaveAccessibleDescription(hint);
  await expect(rows(page).first()).toBeVisible();
  await page.getByLabel('User', { exact: true }).fill('ann');
  await expect(page.getByText(hint)).toHaveCount(0);
});

test('the status filter matches exactly', onceOnly, async ({ page }) => {
  await open(page);
  const pending = (await fetchAll(page, 'withdrawal')).filter(({ status }) => status === 'Pending').length;
  const field = page.getByLabel('Status', { exact: true });
  await field.fill('Pend');
  await expect(page.getByText('No results found.', { exact: true })).toBeVisible();
  await expect(footer(page)).toHaveText('Showing 0 to 0 of 0 entries');
  await field.fill('pending');
  await expect.poll(() => searchOf(page)['status']).toBe('pending');
  await arrived(page);
  await expect(page.getByText('No results found.', { exact: true })).toBeVisible();
  await field.fill('Pending');
  await expect(footer(page)).toHaveText(`Showing 1 to 10 of ${pending} entries`);
});

test('the date filter matches exactly one day', onceOnly, async ({ page }) => {
  await open(page);
  const all = await fetchAll(page, 'withdrawal');
  const date = all[3]?.date ?? '';
  const count = all.filter((row) => row.date === date).length;
  await page.getByLabel('Date', { exact: true }).fill(date);
  await expect(footer(page)).toHaveText(`Showing 1 to ${Math.min(10, count)} of ${count} entries`);
  expect(searchOf(page)).toEqual({ date });
});

test('Clear Filters resets all three', onceOnly, async ({ page }) => {
  await open(page, '?user=nobody&status=Pending&date=2026-01-01');
  await expect(page.getByText('No results found.', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await expect(rows(page)).toHaveCount(10);
  expect(searchOf(page)).toEqual({});
  for (const label of ['User', 'Status', 'Date']) await expect(page.getByLabel(label, { exact: true })).toHaveValue('');
});

test('Prev and Next turn pages of ten rows, and another tab starts at its first page', async ({ page }) => {
  await open(page);
  const all = await fetchAll(page, 'withdrawal');
  const prev = page.getByRole('button', { name: 'Prev', exact: true });
  const next = page.getByRole('button', { name: 'Next', exact: true });
  await expect(prev).toBeDisabled();
  await next.click();
  await expect(footer(page)).toHaveText(`Showing 11 to 20 of ${all.length} entries`);
  const shown = () => rows(page).evaluateAll((some) => some.map((row) => row.getAttribute('data-row')));
  // The rows of the first page stay, faded, until those of the second have come.
  await expect.poll(shown).toEqual(all.slice(10, 20).map(({ id }) => id));
  await page.reload();
  await expect(footer(page)).toHaveText(`Showing 11 to 20 of ${all.length} entries`);
  await prev.click();
  await expect(footer(page)).toHaveText(`Showing 1 to 10 of ${all.length} entries`);
  await next.click();
  await expect(footer(page)).toHaveText(`Showing 11 to 20 of ${all.length} entries`);
  await tab(page, 'Staking Reports').click();
  await expect(footer(page)).toHaveText(/^Showing 1 to 10 of \d+ entries$/);
  expect(searchOf(page)).toEqual({ tab: 'staking' });
});

test('the arrow keys move between the tabs', async ({ page }) => {
  await open(page);
  await tab(page, 'Withdrawal Reports').focus();
  await page.keyboard.press('ArrowLeft');
  await expect(tab(page, 'Task Reports')).toBeFocused();
  await expect(tab(page, 'Task Reports')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowRight');
  await expect(tab(page, 'Withdrawal Reports')).toBeFocused();
});

test('a change by another administrator appears within a second', onceOnly, async ({ page, environment }) => {
  const stream = page.waitForResponse('**/api/events');
  await open(page, '?tab=task&status=Pending');
  await stream;
  const id = await rows(page).first().getAttribute('data-row');
  const { database, pool } = connect({
    url: environment.databaseUrl,
    connections: 1,
    statementTimeoutMs: 5_000,
    onLostConnection: () => undefined,
  });
  await pool.query(`update task set status = 'Completed' where id = $1`, [id]);
  await pool.query(`select pg_notify('bursar', $1)`, [JSON.stringify({ feature: 'tasks', id })]);
  await expect(page.locator(`tr[data-row="${id}"]`)).toHaveCount(0, { timeout: 1_000 });
  await pool.query(`update task set status = 'Active' where id = $1`, [id]);
  await database.destroy();
});

test('an administrator who may not read reports is told so, and nothing is requested', onceOnly, async ({ visit }) => {
  const page = await visit({ as: 'amara.osei' });
  await page.goto('/dashboard/reports');
  await expect(heading(page, 'Reports')).toBeVisible();
  await expect(page.getByText('Your role does not allow this.')).toBeVisible();
  await expect(page.getByRole('tab')).toHaveCount(0);
});

test('only workers of our own build can start', onceOnly, async ({ page, watch }) => {
  watch.expectFailureOf('require-trusted-types-for');
  watch.expectFailureOf("requires 'TrustedScriptURL' assignment");
  await open(page);
  const started = await page.evaluate(() => {
    const foreign = [
      '/theme.js',
      '/assets/pdf-worker-abc.js?evil',
      '/assets/../assets/page-abc.js',
      'https://evil.example/assets/pdf-worker-abc.js',
      'data:text/javascript,1',
      URL.createObjectURL(new Blob(['1'], { type: 'text/javascript' })),
    ];
    return foreign.filter((address) => {
      try {
        new Worker(address).terminate();
        return true;
      } catch {
        return false;
      }
    });
  });
  expect(started).toEqual([]);
});

test('an invalid cursor is reported, and Retry shows the first page', onceOnly, async ({ page, watch }) => {
  watch.expectFailureOf('/api/reports/withdrawal');
  await page.goto('/dashboard/reports?cursor=tampered');
  await page.getByRole('main').getByRole('button', { name: 'Retry' }).click();
  await expect(rows(page)).toHaveCount(10);
});

test('on a phone, date and status are below the name', { tag: '@phone' }, async ({ page }) => {
  expect(isPhone(page)).toBe(true);
  await open(page);
  await expect(page.getByRole('columnheader')).toHaveText(['User', 'Amount ($)']);
  await expect(rows(page).first().locator('.table-folded')).toContainText(/\d{4}-\d\d-\d\d/);
});

import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { addUsers, slowDown } from '../server/src/core/testing/reports.ts';
import { expectAccessible } from './accessible.ts';
import { expect, test as base } from './fixtures.ts';
import { openEnvironment, type Environment } from './environment.ts';
import { heading, toast } from './page-helpers.ts';
import { withOwner } from './owner.ts';
import { desktopOnly, onceOnly } from './tags.ts';

const large = 12_000;
const near = 9_900;

/** An environment with more rows than a browser exports; other environments stay small. */
const test = base.extend<object, { environment: Environment }>({
  environment: [
    async ({ browserName: _browserName }, hand) => {
      const { environment, close } = await openEnvironment(String(process.env['E2E_POSTGRES_URL']));
      await withOwner(environment, async ({ database, pool }) => {
        const [bulk, almost] = await addUsers(database, ['bulk.holder', 'almost.full']);
        await pool.query(
          `insert into withdrawal (user_id, amount_usd, wallet, created_at, balance_usd, gmp_shares, prev_slx, slx_points)
           select case when n <= $3 then $1::uuid else $2::uuid end, n * 10000, 'w', now() - n * interval '1 second', 0, 0, 0, 0
           from generate_series(1, $3 + $4::int) as n`,
          [bulk, almost, large, near],
        );
      });
      await hand(environment);
      await close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

const footer = (page: Page) => page.locator('.table-footer output');
const exportsOf = (page: Page) => page.getByRole('region', { name: 'Exports' }).getByRole('listitem');

async function open(page: Page, search: string) {
  await page.goto(`/dashboard/reports${search}`);
  await expect(heading(page, 'Reports')).toBeVisible();
  await expect(page.locator('table')).toHaveAttribute('aria-busy', 'false');
}

test(
  'above 10,000 rows the count shows 10,000+, and PDF export says why it is disabled',
  onceOnly,
  async ({ page }) => {
    await open(page, '?user=bulk');
    await expect(footer(page)).toHaveText('Showing 1 to 10 of 10,000+ entries');
    const button = page.getByRole('button', { name: 'Export PDF', exact: true });
    await expect(button).toHaveAttribute('aria-disabled', 'true');
    await expect(button).toHaveAccessibleDescription(
      'A PDF can have at most 10,000 rows. Narrow the filters, or export CSV.',
    );
  },
);

test(
  'the server builds a large file after the page is left, and it can be found and downloaded later',
  onceOnly,
  async ({ page, environment }) => {
    await withOwner(environment, ({ database }) => slowDown(database, 4_000));
    await open(page, '?user=bulk');
    await page.getByRole('button', { name: 'Export CSV', exact: true }).click();
    await expect(toast(page, 'The export has started. You can leave this page.')).toBeVisible();
    const one = exportsOf(page).first();
    await expect(one).toContainText('Withdrawal Report');
    await expect(one).toContainText('user contains “bulk”');
    await expect(one.getByText(/^[\d,]+ rows$/)).not.toHaveText('0 rows');
    await expect(one.getByText(/rows\/s$/)).toBeVisible();

    await page.goto('/dashboard/tickets');
    await page.goto('/dashboard/reports');
    await expect(exportsOf(page).first()).toContainText('Ready', { timeout: 30_000 });
    await expect(exportsOf(page).first()).toContainText('12,000 rows');
    await page.reload();
    for (let time = 0; time < 2; time += 1) {
      const downloading = page.waitForEvent('download');
      await exportsOf(page).first().getByRole('button', { name: 'Download' }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toBe('withdrawal_report.csv');
      const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
      expect(lines[0]).toBe('\uFEFFUser,Amount,Date,Status');
      expect(lines).toHaveLength(large + 2);
      expect(lines[1]).toMatch(/^"bulk.holder",0\.01,\d{4}-\d\d-\d\d,"Pending"$/);
    }
  },
);

test(
  'an export shows its progress, also in another browser, and can be cancelled',
  onceOnly,
  async ({ page, visit, environment }) => {
    await withOwner(environment, ({ database }) => slowDown(database, 1_500));
    const other = await visit({ server: 'second' });
    await open(other, '');
    await open(page, '');
    await page.getByRole('button', { name: 'Export CSV', exact: true }).click();
    const title = 'Withdrawal Report, every row';
    for (const one of [page, other]) {
      await expect(one.getByRole('progressbar', { name: `Progress of ${title}` })).toBeVisible();
      await expect(exportsOf(one).first()).toContainText('Being built');
      await expect(
        exportsOf(one)
          .first()
          .getByText(/^[\d,]+ of 2\d,\d{3} rows$/),
      ).toBeVisible();
      await expect(
        exportsOf(one)
          .first()
          .getByText(/(s|min) left$/),
      ).toBeVisible();
    }
    await expectAccessible(page);
    await page.getByRole('button', { name: `Cancel ${title}` }).click();
    await expect(exportsOf(page).first()).toContainText('Canceled');
    await expect(exportsOf(other).first()).toContainText('Canceled', { timeout: 1_000 });
    await expect(page.getByRole('progressbar')).toHaveCount(0);
    await withOwner(environment, ({ database }) => slowDown(database, 1_000_000));
  },
);

test('nearly 10,000 rows become a PDF in a worker while the page stays responsive', desktopOnly, async ({ page }) => {
  await open(page, '?user=almost');
  await expect(footer(page)).toHaveText('Showing 1 to 10 of 9,900 entries');
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { longTasks: seen });
    new PerformanceObserver((list) => seen.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    });
  });
  const started = Date.now();
  const downloading = page.waitForEvent('download', { timeout: 60_000 });
  await page.getByRole('button', { name: 'Export PDF', exact: true }).click();
  await expect(page.getByRole('progressbar', { name: 'Progress of withdrawal_report.pdf' })).toBeVisible();
  const pdf = await readFile(await (await downloading).path());
  const longest = await page.evaluate(() => Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks));
  console.log(
    `      a PDF of ${near} rows: ${Date.now() - started} ms, ${pdf.length} bytes, longest task ${longest} ms`,
  );
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(longest).toBeLessThan(150);
});

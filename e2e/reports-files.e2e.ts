import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import type { Download, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { answerFault, countCalls, cutOff, toast } from './page-helpers.ts';
import { fetchAll, openReports as open, reports } from './reports-page.ts';
import { inGateOnce, onceOnly } from './tags.ts';

async function exported(page: Page, button: 'Export CSV' | 'Export PDF') {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  const download = await downloading;
  return { name: download.suggestedFilename(), bytes: await bytesOf(download) };
}

const bytesOf = async (download: Download) => readFile(await download.path());

for (const { tab: key, file, title } of reports) {
  test(`Export CSV of ${key} saves every row of the filter`, inGateOnce, async ({ page }) => {
    const filter = key === 'withdrawal' ? '&status=Completed' : '';
    await open(page, `?tab=${key}${filter}`);
    const all = await fetchAll(page, key, filter);
    const calls = countCalls(page, '/api/reports/exports', 'POST');
    const { name, bytes } = await exported(page, 'Export CSV');
    expect(calls(), 'the browser builds it').toBe(0);
    expect(name).toBe(`${key}_report.csv`);
    const lines = bytes.toString().split('\r\n');
    expect(lines[0]).toBe(`\uFEFFUser,${file},Date,Status`);
    const written = all.map(({ user, amount, stake, task, date, status }) => {
      const value = amount ?? stake ?? `"${task}"`;
      return `"${user}",${value},${date},"${status}"`;
    });
    expect(lines.slice(1, -1)).toEqual(written);
    await expect(toast(page, `${key}_report.csv is saved`)).toBeVisible();
  });

  test(`Export PDF of ${key} draws a title, a header row and every row`, inGateOnce, async ({ page }) => {
    await open(page, `?tab=${key}`);
    const all = await fetchAll(page, key);
    const calls = countCalls(page, '/api/reports/exports', 'POST');
    const { name, bytes } = await exported(page, 'Export PDF');
    expect(calls(), 'the browser builds it').toBe(0);
    expect(name).toBe(`${key}_report.pdf`);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const drawn = textsOf(bytes);
    expect(drawn.slice(0, 5)).toEqual([title, 'User', file, 'Date', 'Status']);
    for (const { user, date } of all) {
      expect(drawn).toContain(user);
      expect(drawn).toContain(date);
    }
    expect(drawn.filter((text) => /^\d{4}-\d\d-\d\d$/.test(text))).toHaveLength(all.length);
  });
}

/** Returns the texts of a PDF in drawing order. */
const textsOf = (pdf: Buffer) =>
  [...contentOf(pdf).matchAll(/\(((?:[^()\\]|\\.)*)\) Tj/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));

/** Returns the inflated content streams of a PDF. */
function contentOf(pdf: Buffer) {
  let content = '';
  for (let at = pdf.indexOf('stream\n'); at >= 0; at = pdf.indexOf('stream\n', at)) {
    const end = pdf.indexOf('\nendstream', at);
    content += inflated(pdf.subarray(at + 7, end));
    at = end + 10;
  }
  return content;
}

function inflated(bytes: Buffer) {
  try {
    return inflateSync(bytes).toString('latin1');
  } catch {
    return '';
  }
}

const otherScripts = ['Мария Петрова', 'Ελένη', 'ليلى حسن', '王小明', 'Łukasz'];

test('names in other scripts are drawn as images, and can be searched and copied', onceOnly, async ({ page }) => {
  await open(page);
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await page.route('**/api/reports/withdrawal?*limit=100*', async (route) => {
    const response = await route.fetch();
    const listed = (await response.json()) as { rows: object[] };
    const rows = listed.rows.slice(0, otherScripts.length).map((row, at) => ({ ...row, user: otherScripts[at] }));
    await route.fulfill({ response, json: { ...listed, rows, nextCursor: null } });
  });
  const { bytes } = await exported(page, 'Export PDF');
  const content = contentOf(bytes);
  const inUtf16 = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
  for (const name of otherScripts) expect(content).toContain(`/ActualText <FEFF${inUtf16(name)}>`);
  expect(bytes.toString('latin1').match(/\/Filter \/DCTDecode/g)).toHaveLength(otherScripts.length);
  const fonts = requested.filter((url) => url.endsWith('.woff2'));
  expect(fonts.some((url) => url.includes('noto-sans-arabic-arabic'))).toBe(true);
  // Only the files of the Chinese font that contain these characters are loaded.
  expect(fonts.filter((url) => url.includes('noto-sans-sc')).length).toBeLessThanOrEqual(3);
});

const rowsOfTheFile = '**/api/reports/task?*limit=100*';

test('a file that is being built can be cancelled, and is not saved', onceOnly, async ({ page }) => {
  await open(page, '?tab=task');
  await page.route(rowsOfTheFile, async (route) => {
    await wait(700);
    await route.continue().catch(() => undefined);
  });
  let saved = 0;
  page.on('download', () => (saved += 1));
  await page.getByRole('button', { name: 'Export CSV', exact: true }).click();
  await expect(page.getByRole('progressbar', { name: 'Progress of task_report.csv' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(page.getByRole('progressbar')).toHaveCount(0);
  await page.waitForTimeout(1_200);
  expect(saved).toBe(0);
  await expect(page.getByRole('button', { name: 'Export CSV', exact: true })).toBeEnabled();
});

test('a failed file cannot be retried while another one is built', onceOnly, async ({ page, watch }) => {
  watch.expectFailureOf('/api/reports/task');
  await open(page, '?tab=task');
  await page.route(rowsOfTheFile, answerFault);
  await page.getByRole('button', { name: 'Export CSV', exact: true }).click();
  const failure = toast(page, 'Failed to build task_report.csv');
  await expect(failure.getByRole('button', { name: 'Retry' })).toBeVisible();
  await page.unroute(rowsOfTheFile);
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  await page.route(rowsOfTheFile, async (route) => {
    await promise;
    await route.continue();
  });
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export PDF', exact: true }).click();
  await expect(page.getByRole('progressbar', { name: 'Progress of task_report.pdf' })).toBeVisible();
  await expect(failure).toHaveCount(0);
  letGo();
  expect((await downloading).suggestedFilename()).toBe('task_report.pdf');
});

test('a failure of the PDF worker while rows are fetched is reported', onceOnly, async ({ page }) => {
  await open(page, '?tab=task');
  await page.route('**/pdf-worker*', cutOff);
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  await page.route(rowsOfTheFile, async (route) => {
    await promise;
    await route.continue();
  });
  const gone = page.waitForEvent('requestfailed', (request) => request.url().includes('pdf-worker'));
  await page.getByRole('button', { name: 'Export PDF', exact: true }).click();
  await gone;
  // The page notices the failure slightly later than the network.
  await page.waitForTimeout(500);
  letGo();
  await expect(toast(page, 'Failed to build task_report.pdf')).toBeVisible();
  await expect(page.getByRole('progressbar')).toHaveCount(0);
});

test('a report that has grown beyond what a browser can build is not partially saved', onceOnly, async ({ page }) => {
  await open(page, '?tab=task');
  await page.route('**/api/reports/task?*limit=100*', async (route) => {
    const address = new URL(route.request().url());
    address.searchParams.delete('cursor');
    const response = await route.fetch({ url: address.href });
    await route.fulfill({ response, json: { ...((await response.json()) as object), nextCursor: 'and-so-on' } });
  });
  let saved = 0;
  page.on('download', () => {
    saved += 1;
  });
  await page.getByRole('button', { name: 'Export CSV', exact: true }).click();
  await expect(toast(page, 'Failed to build task_report.csv')).toContainText('There are too many rows by now.');
  expect(saved).toBe(0);
});

test('an empty report cannot be exported, and the buttons say so', onceOnly, async ({ page }) => {
  await open(page, '?user=nobody');
  for (const name of ['Export CSV', 'Export PDF']) {
    const button = page.getByRole('button', { name, exact: true });
    await expect(button).toHaveAttribute('aria-disabled', 'true');
    await expect(button).toHaveAccessibleDescription('There is no row to export.');
  }
});

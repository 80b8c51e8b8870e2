import { expect, type Page } from '@playwright/test';
import { callApi, heading } from './page-helpers.ts';

export const rowsOf = (page: Page) => page.locator('tbody tr[data-row]');
export const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
export const footer = (page: Page) => page.locator('.table-footer output');
export const arrived = (page: Page) => expect(page.locator('table')).toHaveAttribute('aria-busy', 'false');

export async function openReports(page: Page, search = '') {
  await page.goto(`/dashboard/reports${search}`);
  await expect(heading(page, 'Reports')).toBeVisible();
  await arrived(page);
}

type Row = { id: string; user: string; date: string; status: string; amount?: string; stake?: string; task?: string };
type ReportPage = { rows: Row[]; total: { count: number; capped: boolean }; nextCursor: string | null };

export async function ask(page: Page, path: string) {
  const { status, json } = await callApi(page, 'GET', { path: `/api/reports/${path}` });
  expect(status).toBe(200);
  return json as ReportPage;
}

/** Fetches every row of a report from the API. */
export async function fetchAll(page: Page, name: string, filter = '') {
  const all: Row[] = [];
  for (let cursor = ''; ; ) {
    const listed = await ask(page, `${name}?limit=100${filter}${cursor && `&cursor=${cursor}`}`);
    all.push(...listed.rows);
    if (!listed.nextCursor) return all;
    cursor = listed.nextCursor;
  }
}

export const reports = [
  { name: 'Withdrawal Reports', tab: 'withdrawal', column: 'Amount ($)', file: 'Amount', title: 'Withdrawal Report' },
  { name: 'Staking Reports', tab: 'staking', column: 'Stake ($)', file: 'Stake', title: 'Staking Report' },
  { name: 'Task Reports', tab: 'task', column: 'Task', file: 'Task', title: 'Task Report' },
];

import { expect, type Locator, type Page, type Route } from '@playwright/test';
import type { ApprovalKind } from '../contract/src/approvals.ts';

export const isPhone = (page: Page) => (page.viewportSize()?.width ?? 0) < 768;

const anyToast = (page: Page): Locator => page.locator('.mantine-Notification-root');

export const toast = (page: Page, title: string): Locator =>
  anyToast(page).filter({ has: page.getByText(title, { exact: true }) });

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Returns the sidebar; on a phone, opens the drawer that contains it. */
export async function openSidebar(page: Page): Promise<Locator> {
  if (!isPhone(page)) return page.locator('.layout-sidebar');
  await page.getByRole('button', { name: 'Open menu' }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByRole('link', { name: 'Home', exact: true })).toBeVisible();
  return drawer;
}

/** Responds with the server's error for an unexpected failure. */
export const answerFault = (route: Route) =>
  route.fulfill({
    status: 500,
    contentType: 'application/problem+json',
    body: JSON.stringify({
      type: 'urn:bursar:problem:Unexpected',
      title: 'Something went wrong on our side. Check what was done before you try again.',
      status: 500,
      code: 'Unexpected',
      error: 'Something went wrong on our side. Check what was done before you try again.',
      reference: '00000000-0000-4000-8000-000000000000',
    }),
  });

export const cutOff = (route: Route) => route.abort('connectionfailed');

/** Counts the calls to a path, so that a test can assert that nothing was sent. */
export function countCalls(page: Page, path: string, method?: 'POST') {
  let calls = 0;
  page.on('request', (request) => {
    const counts = method === undefined || request.method() === method;
    if (counts && new URL(request.url()).pathname === path) calls += 1;
  });
  return () => calls;
}

/** Stops the clock of a page, so that new notices count as unread until `letReadingTimePass`. */
export async function stopClock(page: Page) {
  const nowMs = Date.now();
  await page.clock.setFixedTime(nowMs);
  return { letReadingTimePass: () => page.clock.setFixedTime(nowMs + 1_000) };
}

let made = 0;

/** Returns a name that is unique in this database. */
export function freshName(prefix: string) {
  made += 1;
  return `${prefix}.${process.pid}.${made}.${Date.now() % 100_000}`;
}

/** Calls the API from within a page, with that page's session. */
export async function callApi(page: Page, method: 'GET' | 'POST' | 'PATCH', given: { path: string; body?: unknown }) {
  const answer = await page.evaluate(
    async ({ verb, path, body }) => {
      const response = await fetch(path, {
        method: verb,
        headers: {
          authorization: `Bearer ${localStorage.getItem('token')}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answeredAt = Date.now();
      return { status: response.status, text: await response.text(), answeredAt };
    },
    { verb: method, ...given },
  );
  const { status, text, answeredAt } = answer;
  return { status, answeredAt, json: JSON.parse(text) as unknown };
}

export const temporaryPassword = 'quiet orchard lantern';

export async function addAdmin(page: Page, given: { username: string; role?: 'Admin' | 'SuperAdmin' }) {
  const body = { password: temporaryPassword, confirmPassword: temporaryPassword, role: 'Admin', ...given };
  const { status, json } = await callApi(page, 'POST', { path: '/api/admin/signup', body });
  expect(status).toBe(200);
  return (json as { admin: { id: string } }).admin.id;
}

type OpenRequest = { id: string; kind: string; digest: string };

/** Approves the newest request of a kind. */
export async function approveNewest(colleague: Page, kind: ApprovalKind) {
  const { json } = await callApi(colleague, 'GET', { path: '/api/approvals?state=waiting&limit=100' });
  const newest = (json as { approvals: OpenRequest[] }).approvals.find((request) => request.kind === kind);
  const body = { decision: 'approve', digest: newest?.digest };
  const decided = await callApi(colleague, 'POST', { path: `/api/approvals/${newest?.id}/decide`, body });
  expect(decided.status, JSON.stringify(decided.json)).toBe(200);
}

export async function addTicket(page: Page, given: { type: string; description?: string }) {
  const body = { description: 'Written by a test.', ...given };
  const { status, json } = await callApi(page, 'POST', { path: '/api/tickets', body });
  expect(status).toBe(200);
  return (json as { id: string }).id;
}

/** Delays live updates, because a page fetches everything again when they connect. Returns the release function. */
export async function holdLiveUpdates(page: Page) {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/events', async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

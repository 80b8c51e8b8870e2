import { chromium, type Page } from '@playwright/test';
import { chromiumOptions } from '../../e2e/chromium.ts';
import { fillLogin } from '../../e2e/fixtures.ts';
import type { Planted } from './plant.ts';

const patienceMs = 30_000;

const addresses = [
  '/dashboard',
  '/dashboard/users',
  '/dashboard/tickets',
  '/dashboard/admin',
  '/dashboard/integrations',
  '/dashboard/integrations?tab=webhooks',
  '/dashboard/approvals',
  '/dashboard/audit',
  '/dashboard/settings',
  '/new-password',
];

type Visit = { address: string } & Planted;

/** Signs in, opens screens and a user's profile, and returns what they and the storage of the browser contain. */
export async function browse({ address, superAdmin }: Visit) {
  await using browser = await chromium.launch(chromiumOptions);
  const context = await browser.newContext({ baseURL: address });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  await page.goto('/login');
  await fillLogin(page, superAdmin);
  await page.waitForURL('**/dashboard');
  const screens: string[] = [];
  for (const path of addresses) screens.push(await contentOf(page, path));
  await page.goto('/dashboard/users');
  await page.getByRole('link', { name: 'View Profile' }).first().click();
  await page.getByRole('button', { name: 'Edit Profile' }).waitFor();
  screens.push(await page.content());
  const storage = await storedIn(page);
  await page.evaluate(() => localStorage.removeItem('token'));
  await page.goto('/login');
  return { screens, storage: [storage, await storedIn(page)] };
}

async function contentOf(page: Page, path: string) {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('load');
  return `${path} ${await page.content()}`;
}

/** Returns everything that a page can read again later, except the token of the session, which must be there. */
const storedIn = (page: Page) =>
  page.evaluate(async () => {
    const textsIn = (storage: Storage) => Object.entries(storage) as [string, string][];
    const local = textsIn(localStorage).filter(([name]) => name !== 'token');
    const databases = await indexedDB.databases();
    const cached: string[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys())
        cached.push(request.url, (await (await cache.match(request))?.text()) ?? '');
    }
    const cookies = 'cookieStore' in window ? await (cookieStore as { getAll(): Promise<unknown> }).getAll() : [];
    return JSON.stringify({
      local,
      session: textsIn(sessionStorage),
      databases,
      cached,
      cookies,
      name: window.name,
      state: history.state as unknown,
    });
  });

import {
  test as base,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from '@playwright/test';
import { demoSignIn } from '../server/src/features/admins/demo.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { type KeptPage, keepPage } from './kept-page.ts';
import { reportPolicyViolations, startWatch, type Watch } from './watch.ts';

export { demoSignIn };

export type Looks = { theme: 'light' | 'dark' };

/** No test signs this administrator in or out, so that the session lasts through all tests of a worker. */
const everydayAdmin = 'ines.moreau';

type Visit = { as?: string; server?: 'first' | 'second' };

type Deps = Looks & {
  watch: Watch;
  /** A page without a session. */
  visitor: Page;
  /** A page with the session of a SuperAdmin; nothing is loaded yet. The next test reuses it (see `keepPage`). */
  page: Page;
  /** The same in a new context, for tests that change what cannot be undone: the clock, scripts, the session. */
  freshPage: Page;
  /** Opens a new context in which a demo administrator is signed in. */
  visit: (visit: Visit) => Promise<Page>;
};

type Sessions = (username: string, address: string) => Promise<NonNullable<BrowserContextOptions['storageState']>>;
/** Whether the demo has its month of runs, as a new user sees it, or none. */
export type Demo = { withRuns: boolean };
type WorkerDeps = Demo & { environment: Environment; sessions: Sessions; keptPage: KeptPage };

export const test = base.extend<Deps, WorkerDeps>({
  theme: ['light', { option: true }],

  withRuns: [false, { option: true, scope: 'worker' }],

  environment: [
    async ({ withRuns }, hand) => {
      const postgresUrl = process.env['E2E_POSTGRES_URL'];
      if (!postgresUrl) throw new Error('Start the browser tests with "npm run e2e": they need a database.');
      const { environment, close } = await openEnvironment(postgresUrl, { runs: withRuns });
      await hand(environment);
      await close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],

  sessions: [
    async ({ browser }, hand) => {
      const kept = new Map<string, ReturnType<Sessions>>();
      await hand(async (username, address) => {
        const key = `${username} ${address}`;
        const earlier = await kept.get(key);
        if (earlier && (await isAlive(browser, earlier, address))) return earlier;
        const session = signInOnce(browser, username, address);
        kept.set(key, session);
        return session;
      });
    },
    { scope: 'worker' },
  ],

  keptPage: [
    async ({ browserName: _browserName }, hand) => {
      const kept = keepPage();
      await hand(kept);
      await kept.close();
    },
    { scope: 'worker' },
  ],

  watch: async ({ environment }, hand) => {
    const watch = startWatch();
    const faultsBefore = environment.faults.length;
    await hand(watch);
    base.expect(watch.complaints(), 'what went wrong in the browsers').toEqual([]);
    base.expect(environment.faults.slice(faultsBefore), 'faults in the log of the servers').toEqual([]);
  },

  baseURL: async ({ environment }, hand) => hand(environment.first),

  context: async ({ context, watch, theme }, hand) => {
    await prepare(context, theme);
    context.on('page', (page) => watch.follow(page));
    await hand(context);
  },

  visitor: async ({ context }, hand) => hand(await context.newPage()),

  page: async ({ browser, environment, sessions, keptPage, watch, theme }, hand, testInfo) => {
    const page = await keptPage.open(async () => {
      const storageState = await sessions(everydayAdmin, environment.first);
      const context = await browser.newContext({ baseURL: environment.first, storageState });
      await prepare(context, theme);
      return context.newPage();
    });
    const follow = (opened: Page) => watch.follow(opened);
    follow(page);
    page.context().on('page', follow);
    await hand(page);
    page.context().off('page', follow);
    // After a failure Playwright starts a new worker, with a new page.
    if (testInfo.status === testInfo.expectedStatus) await keptPage.reset(theme);
  },

  freshPage: async ({ visit }, hand) => hand(await visit({})),

  visit: async ({ browser, environment, sessions, watch, theme }, hand) => {
    const contexts: BrowserContext[] = [];
    await hand(async ({ as = everydayAdmin, server = 'first' }) => {
      const storageState = await sessions(as, environment[server]);
      const context = await browser.newContext({ baseURL: environment[server], storageState });
      contexts.push(context);
      await prepare(context, theme);
      context.on('page', (page) => watch.follow(page));
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
});

export const expect = test.expect;

async function prepare(context: BrowserContext, theme: Looks['theme']) {
  await context.addInitScript((chosen) => {
    if (location.protocol === 'http:' && localStorage.getItem('theme') === null) localStorage.setItem('theme', chosen);
  }, theme);
  await context.addInitScript(reportPolicyViolations);
}

/** Tests of sign-in, roles and second factors end the sessions of demo administrators. */
async function isAlive(browser: Browser, storageState: Awaited<ReturnType<Sessions>>, baseURL: string) {
  const context = await browser.newContext({ baseURL, storageState });
  const stored = typeof storageState === 'string' ? [] : storageState.origins.flatMap((origin) => origin.localStorage);
  const token = stored.find(({ name }) => name === 'token')?.value;
  const answer = await context.request.get('/api/auth/me', { headers: { authorization: `Bearer ${token}` } });
  await context.close();
  return answer.ok();
}

async function signInOnce(browser: Browser, username: string, baseURL: string) {
  const context = await browser.newContext({ baseURL });
  const page = await context.newPage();
  await page.goto('/login');
  await fillLogin(page, { username, password: demoSignIn.password });
  await page.waitForURL('**/dashboard');
  const state = await context.storageState();
  await context.close();
  return state;
}

export async function fillLogin(page: Page, { username, password }: { username: string; password: string }) {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
}

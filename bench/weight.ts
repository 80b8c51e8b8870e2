import { globSync, statSync } from 'node:fs';
import { type Browser, chromium } from '@playwright/test';
import { buildPanelIfOlder } from '../e2e/build.ts';
import { chromiumOptions } from '../e2e/chromium.ts';
import { openEnvironment, prepareDemo } from '../e2e/environment.ts';
import { demoSignIn } from '../server/src/features/admins/demo.ts';
import { startPostgres } from '../tools/postgres.ts';
import { type Loaded, loadCold } from './weight/load.ts';

type Budget = { path: string; heading: string; js: number; all?: number; fonts: number };

/** Budgets in kB (1,000 bytes) of gzip; `all` excludes fonts, which have their own budget (decision 10). */
const budgets = {
  login: { path: '/login', heading: 'Login', js: 100, all: 105, fonts: 50 },
  dashboard: { path: '/dashboard', heading: 'Analytics', js: 210, all: 230, fonts: 90 },
  ...screens({
    users: 'User Management',
    tickets: 'Support Tickets',
    'manage-withdraw': 'Withdrawal Management',
    ledger: 'Ledger',
    audit: 'Audit Log',
    integrations: 'Integrations',
    security: 'Security',
    approvals: 'Approvals',
    runs: 'Runs',
    'runs/calendar': 'Run calendar',
    // There is no such run: only the screen without its rows is weighed.
    'runs/1': 'Run',
    'manage-staking': 'Staking Management',
    'manage-task': 'Task Management',
    reports: 'Reports',
    maintenance: 'Maintenance',
    admin: 'Admin Panel',
    settings: 'Settings',
    'settings/cronjobs/stake-payout': 'Stake Payout Settings',
    'settings/cronjobs/gmp-distro': 'GMP Distribution',
    'settings/cronjobs/referral-check': 'Referral Check',
    'settings/cronjobs/rank-promo': 'Rank Promotion',
    'settings/cronjobs/rank-bonus': 'Rank Bonus',
  }),
} satisfies Record<string, Budget>;

function screens(headings: Record<string, string>): Record<string, Budget> {
  const budgetOf = ([path, heading]: [string, string]) => ({ path: `/dashboard/${path}`, heading, js: 225, fonts: 90 });
  return Object.fromEntries(Object.entries(headings).map((screen) => [screen[0], budgetOf(screen)]));
}

const pdfWorkerAtMost = 140;

/**
 * Browsers also accept brotli, which the server prefers and which is a seventh smaller. The budgets, and the products
 * they were compared with, were measured in gzip, so the bench requests gzip.
 */
const onlyGzip = { extraHTTPHeaders: { 'accept-encoding': 'gzip' } };

await using everything = new AsyncDisposableStack();
await buildPanelIfOlder();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareDemo(postgres.url);
const { environment, close } = await openEnvironment(postgres.url);
everything.defer(close);
const browser = everything.use(await chromium.launch(chromiumOptions));

const signedIn = await signIn(browser);
const weights: Record<string, Loaded> = {};
const breaches: string[] = [];
// A load mostly waits for the network to go quiet, so two run at a time.
const waiting = Object.entries<Budget>(budgets).values();
await Promise.all([weighAll(waiting), weighAll(waiting)]);
const pdfWorker = weighPdfWorker();
if (pdfWorker > pdfWorkerAtMost) breaches.push(`the PDF worker has ${pdfWorker} kB, ${pdfWorkerAtMost} allowed`);
for (const breach of breaches) console.error(breach);
const passed = breaches.length === 0;
console.log(JSON.stringify({ bench: 'weight', ...weights, pdfWorker, passed }));
if (!passed) process.exitCode = 1;

async function weighAll(screensLeft: Iterable<[string, Budget]>) {
  for (const [name, budget] of screensLeft) {
    const context = await browser.newContext({ ...onlyGzip, ...(name !== 'login' && { storageState: signedIn }) });
    const loaded = await loadCold(context, `${environment.first}${budget.path}`, budget.heading);
    await context.close();
    weights[name] = loaded;
    breaches.push(...breachesOf(loaded, budget).map((breach) => `${name}: ${breach}`));
    console.error(
      `${name.padEnd(31)} ${loaded.js} kB of JavaScript, ${loaded.all} without fonts: ${JSON.stringify(loaded.kinds)}`,
    );
  }
}

/** Weighs the PDF worker, which no screen loads before a PDF is requested. */
function weighPdfWorker() {
  const [file] = globSync('panel/dist/assets/pdf-worker-*.js');
  if (!file) throw new Error('The build has no PDF worker.');
  return Math.round(statSync(`${file}.gz`).size / 100) / 10;
}

/** Returns only the session, so that every page starts with an empty cache. */
async function signIn(visited: Browser) {
  const context = await visited.newContext();
  const page = await context.newPage();
  await page.goto(`${environment.first}/login`);
  await page.getByLabel('Username').fill(demoSignIn.username);
  await page.getByLabel('Password', { exact: true }).fill(demoSignIn.password);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.waitForURL(/\/dashboard/);
  const session = await context.storageState();
  await context.close();
  return session;
}

function breachesOf({ js, all, fonts, uncompressed }: Loaded, budget: Budget) {
  return [
    ...(js > budget.js ? [`${js} kB of JavaScript, ${budget.js} allowed`] : []),
    ...(budget.all !== undefined && all > budget.all ? [`${all} kB without fonts, ${budget.all} allowed`] : []),
    ...(fonts > budget.fonts ? [`${fonts} kB of fonts, ${budget.fonts} allowed`] : []),
    ...uncompressed.map((url) => `${url} travels uncompressed`),
  ];
}

import { type Browser, chromium } from '@playwright/test';
import { buildPanelIfOlder } from '../e2e/build.ts';
import { chromiumOptions } from '../e2e/chromium.ts';
import { openHouse } from '../e2e/house.ts';
import { demoSignIn } from '../server/src/admins/demo.ts';
import { prepareTemplate } from '../server/src/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { type Loaded, loadCold } from './weight/load.ts';

type Budget = { path: string; heading: string; js: number; all?: number; fonts: number };

/** kB (1,000 bytes) as they travel; `all` is without fonts, which have a budget of their own (decision 10). */
const budgets = {
  login: { path: '/login', heading: 'Login', js: 100, all: 105, fonts: 50 },
  dashboard: { path: '/dashboard', heading: 'Analytics', js: 200, all: 220, fonts: 90 },
  tickets: { path: '/dashboard/tickets', heading: 'Support Tickets', js: 220, fonts: 90 },
  admin: { path: '/dashboard/admin', heading: 'Admin Panel', js: 220, fonts: 90 },
} as const satisfies Record<string, Budget>;

await using everything = new AsyncDisposableStack();
await buildPanelIfOlder();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const { house, close } = await openHouse(postgres.url);
everything.defer(close);
const browser = everything.use(await chromium.launch(chromiumOptions));

const signedIn = await signIn(browser);
const weights: Record<string, Loaded> = {};
const breaches: string[] = [];
for (const [name, budget] of Object.entries<Budget>(budgets)) {
  const context = await browser.newContext(name === 'login' ? {} : { storageState: signedIn });
  const loaded = await loadCold(context, `${house.first}${budget.path}`, budget.heading);
  await context.close();
  weights[name] = loaded;
  breaches.push(...breachesOf(loaded, budget).map((breach) => `${name}: ${breach}`));
  console.error(
    `${name.padEnd(10)} ${loaded.js} kB of JavaScript, ${loaded.all} without fonts: ${JSON.stringify(loaded.kinds)}`,
  );
}
for (const breach of breaches) console.error(breach);
const passed = breaches.length === 0;
console.log(JSON.stringify({ bench: 'weight', ...weights, passed }));
if (!passed) process.exitCode = 1;

/** Only the session is taken along: every page then starts with an empty cache of its own. */
async function signIn(visited: Browser) {
  const context = await visited.newContext();
  const page = await context.newPage();
  await page.goto(`${house.first}/login`);
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

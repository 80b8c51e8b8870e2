import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { replayedMs } from 'contract/events.ts';
import { buildPanelIfOlder } from '../e2e/build.ts';
import { chromiumOptions } from '../e2e/chromium.ts';
import { openEnvironment, prepareDemo } from '../e2e/environment.ts';
import { demoSignIn } from '../server/src/features/admins/demo.ts';
import { freePort } from '../tools/ports.ts';
import { startPostgres } from '../tools/postgres.ts';
import { type Painted, visit } from './paint/lighthouse.ts';

/** Measures with Lighthouse how soon pages are painted, in turns with another panel that `--against` names. */
const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rounds: { type: 'string', default: '5' },
    /** The URLs of the other panel's dashboard, users and login pages, separated by commas. */
    against: { type: 'string' },
  },
});

await using everything = new AsyncDisposableStack();
await buildPanelIfOlder();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareDemo(postgres.url);
const { environment, close } = await openEnvironment(postgres.url);
everything.defer(close);

// Two browsers, so that only one of them is signed in.
const signedIn = await openBrowser();
const signedOut = await openBrowser();
await signIn();
// A server that has just started cannot replay the changes of this period, so every panel fetches twice.
await wait(replayedMs);

const [theirDashboard, theirUsers, theirLogin] = options.against?.split(',') ?? [];
const pages = [
  { name: 'dashboard', ours: { url: `${environment.first}/dashboard`, port: signedIn.port }, theirs: theirDashboard },
  { name: 'users', ours: { url: `${environment.first}/dashboard/users`, port: signedIn.port }, theirs: theirUsers },
  { name: 'login', ours: { url: `${environment.first}/login`, port: signedOut.port }, theirs: theirLogin },
];

for (const { name, ours, theirs } of pages) {
  const [own, others]: [Painted[], Painted[]] = [[], []];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    own.push(await visit(ours.url, ours.port));
    if (theirs) others.push(await visit(theirs, signedOut.port));
  }
  printFigures(name, 'ours', own);
  if (others.length > 0) printFigures(name, 'theirs', others);
}

async function openBrowser() {
  const port = await freePort(9_222);
  const browser = await chromium.launch({
    ...chromiumOptions,
    args: [...chromiumOptions.args, `--remote-debugging-port=${port}`],
  });
  everything.use(browser);
  return { browser, port };
}

/** Signs in, in the browser context in which Lighthouse opens its tabs. */
async function signIn() {
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${signedIn.port}`);
  const [context] = browser.contexts();
  const page = await context?.newPage();
  if (!page) throw new Error('The browser has no context of its own.');
  await page.goto(`${environment.first}/login`);
  await page.getByLabel('Username').fill(demoSignIn.username);
  await page.getByLabel('Password', { exact: true }).fill(demoSignIn.password);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.waitForURL(/\/dashboard/);
  await page.close();
}

function printFigures(page: string, whose: string, painted: readonly Painted[]) {
  const middle = (name: keyof Painted) => {
    const values = painted.map((one) => one[name]).toSorted((one, other) => one - other);
    return { middle: values[Math.floor(values.length / 2)], least: values[0], most: values.at(-1) };
  };
  const figures = (['score', 'firstPaintMs', 'largestPaintMs', 'blockingMs'] as const).map(
    (name) => [name, middle(name)] as const,
  );
  console.log(JSON.stringify({ bench: 'paint', page, whose, ...Object.fromEntries(figures) }));
}

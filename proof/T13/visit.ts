import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { chromiumOptions } from '../../e2e/chromium.ts';
import { demoSignIn, fillLogin } from '../../e2e/fixtures.ts';
import { addAdmin, temporaryPassword } from '../../e2e/page-helpers.ts';
import { openScreen, type Screen } from '../../e2e/screen.ts';
import { screens } from '../../e2e/screen-catalog.ts';
import { logProgress } from '../processes/verdict.ts';
import { type Incidents, inspect, watchContext } from './browser.ts';

const everydayAdmin = 'ines.moreau';
const newcomer = 'newcomer.of.the.proof';
const screenPatienceMs = 6_000;

type Visit = { address: string; only?: readonly string[] };

/** Opens every screen on a desktop, and those for phones on one. */
export async function visitScreens({ address, only }: Visit) {
  const incidents: Incidents = { executions: [], violations: [], elements: [] };
  const shown = new Set<number>();
  const incomplete: string[] = [];
  let visited = 0;
  let withPayloads = 0;
  await using browser = await chromium.launch(chromiumOptions);
  const pages = await openPages(browser, { address, incidents });
  for (const screen of screens.filter(({ name }) => only === undefined || only.includes(name))) {
    const page = pageFor(pages, screen);
    visited += 1;
    // A planted text can differ from what the steps of a screen look for. What is on the screen by then counts.
    await openScreen(page, screen).catch((reason: unknown) => {
      incomplete.push(screen.name);
      logProgress(`${screen.name}: ${String(reason).split('\n')[0]}`);
    });
    const found = await inspect(page);
    for (const number of found.shown) shown.add(number);
    if (found.shown.length > 0) withPayloads += 1;
    incidents.elements.push(...found.dangerous.map((element) => `${screen.name}: ${element}`));
  }
  return { visited, withPayloads, incomplete, shown, incidents };
}

type Pages = { visitor: Page; admin: Page; phone: Page; newcomer: Page };

async function openPages(browser: Browser, { address, incidents }: { address: string; incidents: Incidents }) {
  const open = async (width: number) => {
    const viewport = { width, height: 900 };
    const context: BrowserContext = await browser.newContext({ baseURL: address, viewport, reducedMotion: 'reduce' });
    context.setDefaultTimeout(screenPatienceMs);
    await watchContext(context, incidents);
    return context.newPage();
  };
  const signedIn = async (width: number, { username, password }: { username: string; password: string }) => {
    const page = await open(width);
    await page.goto('/login');
    await fillLogin(page, { username, password });
    await page.waitForURL(/dashboard|new-password/);
    return page;
  };
  const everyday = { username: everydayAdmin, password: demoSignIn.password };
  const admin = await signedIn(1_440, everyday);
  await addAdmin(admin, { username: newcomer });
  return {
    visitor: await open(1_440),
    admin,
    phone: await signedIn(390, everyday),
    newcomer: await signedIn(1_440, { username: newcomer, password: temporaryPassword }),
  };
}

function pageFor(pages: Pages, { signedIn, onlyUnder }: Screen) {
  if (signedIn === undefined) return pages.visitor;
  if (signedIn === 'newcomer') return pages.newcomer;
  return onlyUnder === undefined ? pages.admin : pages.phone;
}

import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from '@playwright/test';
import { demoSignIn } from '../server/src/features/admins/demo.ts';
import { startPostgres } from '../tools/postgres.ts';
import { buildPanelIfOlder } from './build.ts';
import { chromiumOptions } from './chromium.ts';
import { openEnvironment, prepareDemo } from './environment.ts';
import { addAdmin, temporaryPassword } from './page-helpers.ts';
import { readmeScreens } from './readme-screens.ts';
import { openScreen, type Screen } from './screen.ts';
import { screens } from './screen-catalog.ts';

// `npm run shots -- login runs` takes only the pictures whose names start with these words.
const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: 'boolean', default: false } },
});
const folder = options.readme ? 'docs/images' : 'shots';
const themes = ['light', 'dark'] as const;
const heights = { 1440: 900, 1024: 768, 390: 844 } as const;
const widths = [1440, 1024, 390] as const;

type Look = { theme: (typeof themes)[number]; width: (typeof widths)[number] };

await buildPanelIfOlder();
const postgres = await startPostgres({ port: 54_335 });
try {
  await prepareDemo(postgres.url);
  const { environment, close } = await openEnvironment(postgres.url, { runs: options.readme });
  try {
    await takeAll(environment.first);
  } finally {
    await close();
  }
} finally {
  await postgres.stop();
}
console.log(path.resolve(folder));
process.exit(0);

async function takeAll(address: string) {
  if (!options.readme) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await using browser = await chromium.launch(chromiumOptions);
  const looks = themes.flatMap((theme) => widths.map((width) => ({ theme, width })));
  for (const look of looks) await takeAsVisitorAndAdmin(browser, address, look);
  if (options.readme) return;
  // Invited last, so that the list of administrators is pictured without them.
  await inviteNewcomers(browser, address, looks);
  for (const look of looks) await takeAsNewcomer(browser, address, look);
}

async function takeAsVisitorAndAdmin(browser: Browser, baseURL: string, look: Look) {
  const page = await openPage(browser, baseURL, look);
  for (const screen of screensFor(undefined, look)) await take(page, screen, look);
  await signIn(page, demoSignIn);
  for (const screen of screensFor('admin', look)) await take(page, screen, look);
  await page.context().close();
}

async function takeAsNewcomer(browser: Browser, baseURL: string, look: Look) {
  const page = await openPage(browser, baseURL, look);
  await signIn(page, { username: newcomerFor(look), password: temporaryPassword });
  for (const screen of screensFor('newcomer', look)) await take(page, screen, look);
  await page.context().close();
}

async function openPage(browser: Browser, baseURL: string, { theme, width }: Look) {
  const viewport = { width, height: heights[width] };
  const context = await browser.newContext({ baseURL, viewport, reducedMotion: 'reduce' });
  await context.addInitScript((chosen) => localStorage.setItem('theme', chosen), theme);
  return context.newPage();
}

function screensFor(who: Screen['signedIn'], look: Look) {
  const all: readonly Screen[] = options.readme ? readmeScreens : screens;
  const ofWho = all.filter((screen) => screen.signedIn === who && isWanted(screen) && isSeenAt(screen, look));
  return options.readme ? ofWho.filter((screen) => isForReadme(screen, look)) : ofWho;
}

function isWanted({ name }: Screen) {
  return wanted.length === 0 || wanted.some((start) => name.startsWith(start));
}

function isSeenAt({ onlyUnder }: Screen, { width }: Look) {
  return onlyUnder === undefined || width < onlyUnder;
}

function isForReadme({ readme }: Screen, { theme, width }: Look) {
  return readme?.theme === theme && readme.width === width;
}

async function take(page: Page, screen: Screen, { theme, width }: Look) {
  const { name, readme } = screen;
  await openScreen(page, screen);
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(0, 0);
  const file = options.readme && readme ? `${readme.name}.png` : `${name}-${theme}-${width}.png`;
  await page.screenshot({ path: path.join(folder, file) });
}

async function signIn(page: Page, { username, password }: { username: string; password: string }) {
  await page.goto('/login');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.waitForURL(/dashboard|new-password/);
}

/** Each theme and width has its own administrator with a temporary password. */
function newcomerFor({ theme, width }: Look) {
  return `newcomer.${theme}.${width}`;
}

async function inviteNewcomers(browser: Browser, baseURL: string, looks: readonly Look[]) {
  const context = await browser.newContext({ baseURL });
  const page = await context.newPage();
  await signIn(page, demoSignIn);
  for (const look of looks) await addAdmin(page, { username: newcomerFor(look) });
  await context.close();
}

import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { chromiumOptions } from './e2e/chromium.ts';
import type { Demo, Looks } from './e2e/fixtures.ts';

const desktop = { viewport: { width: 1440, height: 900 } } as const;
const phone = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  contextOptions: { reducedMotion: 'reduce' },
} as const;

const sweep = 'accessibility.e2e.ts';
const schedule = 'runs-blocked.e2e.ts';
const demo = 'demo.e2e.ts';
const ownDatabase = [sweep, schedule, demo];

const chosen = (grep: RegExp) => (process.env['E2E_SET'] === 'gate' ? { grep } : {});

const onDesktop = { ...chosen(/@gate(?!-)/), grepInvert: /@phone/, use: { ...desktop, theme: 'light' } } as const;
const onPhone = { ...chosen(/@gate-phone/), grepInvert: /@desktop|@once/, use: { ...phone, theme: 'dark' } } as const;

export default defineConfig<Looks, Demo>({
  testDir: 'e2e',
  testMatch: '*.e2e.ts',
  outputDir: 'test-results',
  fullyParallel: false,
  workers: availableParallelism(),
  timeout: 90_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  // The gate runs on machines that others use too. A test that needed its second try is named at the end (decision 23).
  retries: process.env['CI'] ? 1 : 0,
  reporter: [['list'], ['./e2e/count-reporter.ts']],
  use: {
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
    screenshot: 'only-on-failure',
    launchOptions: chromiumOptions,
  },
  // All tests run in both sizes, or once where the size does not matter. The commit gate runs those with a tag of its
  // own. The phone asks for no motion. Three have a database of their own: the accessibility sweep, which opens every
  // screen in every state and leaves them so, the test of a blocked schedule, which needs days that no schedule has
  // tried before, and the test of the demo as a newcomer meets it.
  projects: [
    { name: 'sweep-desktop', testMatch: sweep, ...onDesktop },
    { name: 'sweep-phone', testMatch: sweep, ...onPhone },
    { name: 'schedule', testMatch: schedule, ...onDesktop },
    { ...onDesktop, name: 'demo', testMatch: demo, use: { ...onDesktop.use, withRuns: true } },
    { name: 'desktop-light', testIgnore: ownDatabase, ...onDesktop },
    { name: 'phone-dark', testIgnore: ownDatabase, ...onPhone },
  ],
});

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
  // The commit gate runs on shared machines. Tests that passed only on retry are listed at the end (decision 23).
  retries: process.env['CI'] ? 1 : 0,
  reporter: [['list'], ['./e2e/count-reporter.ts']],
  use: {
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
    screenshot: 'only-on-failure',
    launchOptions: chromiumOptions,
  },
  // Tests run in both sizes, or once if the size does not matter. The commit gate runs only tests with a gate tag. The
  // phone prefers reduced motion. Three tests have their own database: the accessibility sweep, which puts every
  // screen into every state and does not undo it; the test of a blocked schedule, which needs days that no schedule has
  // attempted; and the test of the demo as a new user sees it.
  projects: [
    { name: 'sweep-desktop', testMatch: sweep, ...onDesktop },
    { name: 'sweep-phone', testMatch: sweep, ...onPhone },
    { name: 'schedule', testMatch: schedule, ...onDesktop },
    { ...onDesktop, name: 'demo', testMatch: demo, use: { ...onDesktop.use, withRuns: true } },
    { name: 'desktop-light', testIgnore: ownDatabase, ...onDesktop },
    { name: 'phone-dark', testIgnore: ownDatabase, ...onPhone },
  ],
});

import { defineConfig } from '@playwright/test';
import { chromiumOptions } from './e2e/chromium.ts';
import type { Looks } from './e2e/fixtures.ts';

const desktop = { viewport: { width: 1440, height: 900 } } as const;
const phone = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  contextOptions: { reducedMotion: 'reduce' },
} as const;

export default defineConfig<Looks>({
  testDir: 'e2e',
  testMatch: '*.e2e.ts',
  outputDir: 'test-results',
  fullyParallel: false,
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  // The gate runs on machines that others use too. What needed its second try is named at the end (decision 17).
  retries: process.env['CI'] ? 1 : 0,
  reporter: [['list'], ['./e2e/count-reporter.ts']],
  use: {
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
    screenshot: 'only-on-failure',
    launchOptions: chromiumOptions,
  },
  // Every test in each size, or once if size is no matter; what is looked at is looked at in both themes. The phone's
  // owner has asked for no motion.
  projects: [
    { name: 'desktop-light', grepInvert: /@phone/, use: { ...desktop, theme: 'light' } },
    { name: 'phone-dark', grepInvert: /@desktop|@once/, use: { ...phone, theme: 'dark' } },
  ],
});

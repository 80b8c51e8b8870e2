import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { chromiumOptions } from './e2e/chromium.ts';

const componentTests = 'panel/src/**/*.browser.test.ts';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'tidy', include: ['tools/*.test.ts'] } },
      {
        test: {
          name: 'unit',
          include: ['contract/src/**/*.test.ts', 'panel/src/**/*.test.{ts,tsx}', 'bench/history/*.test.ts'],
          exclude: [componentTests],
          // Properties are tried hundreds of times, on machines that may be busy.
          testTimeout: 60_000,
        },
      },
      {
        extends: './panel/vite.config.ts',
        test: {
          name: 'component',
          include: [componentTests],
          setupFiles: ['panel/src/testing/setup.ts'],
          // The panel is loaded once. The setup ends it after every test, with everything that it keeps.
          isolate: false,
          testTimeout: 60_000,
          // Machines may be busy; what is there already is found at once.
          expect: { poll: { timeout: 15_000 } },
          browser: {
            enabled: true,
            headless: true,
            provider: playwright({
              launchOptions: chromiumOptions,
              actionTimeout: 15_000,
              // Without summer time and half an hour off: a local time can be told from UTC.
              contextOptions: { timezoneId: 'Asia/Kolkata' },
            }),
            instances: [{ browser: 'chromium' }],
            viewport: { width: 1440, height: 900 },
            screenshotFailures: false,
            // As in the browser tests: a label is found without the star of a required field.
            locators: { exact: false },
            testerHtmlPath: 'panel/src/testing/page.html',
          },
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/src/**/*.test.ts', 'proof/*.test.ts'],
          globalSetup: ['tools/vitest-postgres.ts'],
          // Every file has a database of its own; what they share is code, and that keeps nothing of a database.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
    // Every test file has a database of its own, and much of its time is spent waiting for it.
    maxWorkers: 2,
    passWithNoTests: false,
  },
});

import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { chromiumOptions } from './e2e/chromium.ts';

const componentTests = 'panel/src/**/*.browser.test.ts';
// They start or kill many processes, wait for timeouts or repeat old migrations, so only the nightly run has the time for them.
const slowTests = process.env['BURSAR_THOROUGH'] === '1' ? [] : ['**/*.slow.test.ts'];

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'tidy', include: ['tools/*.test.ts'] } },
      {
        test: {
          name: 'unit',
          include: [
            '{contract,client}/src/**/*.test.ts',
            'panel/src/**/*.test.{ts,tsx}',
            '{bench/history,simulate}/*.test.ts',
          ],
          exclude: [componentTests],
          // Property tests run hundreds of cases, and the machine may be busy.
          testTimeout: 60_000,
        },
      },
      {
        extends: './panel/vite.config.ts',
        test: {
          name: 'component',
          include: [componentTests],
          setupFiles: ['panel/src/testing/setup.ts'],
          // The panel is loaded once. The setup file closes it and clears its state between tests.
          isolate: false,
          maxWorkers: 2,
          testTimeout: 60_000,
          // Long, because the machine may be busy. Elements that exist are found immediately.
          expect: { poll: { timeout: 15_000 } },
          browser: {
            enabled: true,
            headless: true,
            provider: playwright({
              launchOptions: chromiumOptions,
              actionTimeout: 15_000,
              // No daylight saving time and a half-hour offset, so that local times are distinguishable from UTC.
              contextOptions: { timezoneId: 'Asia/Kolkata' },
            }),
            instances: [{ browser: 'chromium' }],
            viewport: { width: 1440, height: 900 },
            screenshotFailures: false,
            // As in the browser tests: a label matches without the asterisk of a required field.
            locators: { exact: false },
            testerHtmlPath: 'panel/src/testing/page.html',
          },
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/src/**/*.test.ts', 'proof/*.test.ts'],
          exclude: slowTests,
          globalSetup: ['tools/vitest-postgres.ts'],
          // Files share only modules, which hold no database state: every file has its own database.
          isolate: false,
          // More than two cores can run, because a test waits for its database for much of its time.
          maxWorkers: 3,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
    maxWorkers: 2,
    passWithNoTests: false,
  },
});

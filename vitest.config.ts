import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'tidy', include: ['tools/*.test.ts'] } },
      { test: { name: 'unit', include: ['contract/src/**/*.test.ts', 'panel/src/**/*.test.{ts,tsx}'] } },
      {
        test: {
          name: 'server',
          include: ['server/src/**/*.test.ts', 'proof/calls.test.ts'],
          globalSetup: ['tools/vitest-postgres.ts'],
          // Every test file has a database of its own; more at once than cores only makes each slower.
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
    passWithNoTests: false,
  },
});

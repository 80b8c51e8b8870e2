import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'tidy', include: ['tools/*.test.ts'] } },
      {
        test: {
          name: 'unit',
          include: ['contract/src/**/*.test.ts', 'panel/src/**/*.test.{ts,tsx}', 'bench/history/*.test.ts'],
          // Properties are tried hundreds of times, on machines that may be busy.
          testTimeout: 60_000,
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

import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this is the nightly run, which takes its time: BURSAR_THOROUGH=1 (tools/vitest-postgres.ts). */
    thorough: boolean;
  }
}

/**
 * How often fast-check tries a property: a few times before each commit, often in the nightly run. Every run draws other
 * examples, and a failure prints the seed that repeats it. Only the nightly run then looks for the smallest example that
 * fails: with a database for each it takes minutes. It stops before the tests time out, after five minutes: a test that
 * times out would not print the seed.
 */
export const propertyRuns = (runs: { gate: number; thorough: number }) =>
  inject('thorough')
    ? { numRuns: runs.thorough, interruptAfterTimeLimit: 240_000, markInterruptAsFailure: true }
    : { numRuns: runs.gate, endOnFailure: true };

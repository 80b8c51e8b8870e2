import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether this is the nightly run: BURSAR_THOROUGH=1 (tools/vitest-postgres.ts). */
    thorough: boolean;
  }
}

/**
 * How often fast-check tries a property: a few times before each commit, often in the nightly run. Every run draws
 * other examples, and a failure prints the seed that reproduces it. Only the nightly run shrinks a failing example,
 * because that takes minutes with a database. It stops before the test timeout of five minutes, because a test that
 * times out does not print the seed.
 */
export const propertyRuns = (runs: { gate: number; thorough: number }) =>
  inject('thorough')
    ? { numRuns: runs.thorough, interruptAfterTimeLimit: 240_000, markInterruptAsFailure: true }
    : { numRuns: runs.gate, endOnFailure: true };

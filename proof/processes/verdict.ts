type Verdict = { proof: string; passed: boolean; mutantCaught: boolean } & Record<string, unknown>;

const startedAt = performance.now();

export const isFull = process.argv.includes('--full');

/** Prints progress. */
export function logProgress(line: string) {
  console.error(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${line}`);
}

/** Prints the result as the last line. A proof fails if it does not catch its mutant. */
export function conclude(verdict: Verdict) {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(JSON.stringify({ ...verdict, full: isFull, seconds }));
  process.exitCode = verdict.passed && verdict.mutantCaught ? 0 : 1;
}

type Verdict = { proof: string; passed: boolean; mutantCaught: boolean } & Record<string, unknown>;

const startedAt = performance.now();

export const isFull = process.argv.includes('--full');

/** How it goes, for whoever waits. */
export function tell(line: string) {
  console.error(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${line}`);
}

/** The last line says it all; a proof that would not catch its mutant proves nothing. */
export function conclude(verdict: Verdict) {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(JSON.stringify({ ...verdict, full: isFull, seconds }));
  process.exitCode = verdict.passed && verdict.mutantCaught ? 0 : 1;
}

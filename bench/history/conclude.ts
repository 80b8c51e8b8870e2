import { appendFileSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { judge, type Timing } from './judge.ts';

const file = path.join(import.meta.dirname, 'figures.jsonl');

export const isFull = process.argv.includes('--full');
const form = isFull ? 'full' : 'short';

type Recorded = { at: string; bench: string; form: typeof form; cores: number; figures: Record<string, number> };

type Conclusion = {
  bench: string;
  timings?: Record<string, Timing>;
  /** Failures on any machine: a wrong result, too much memory. */
  faults: string[];
  details: Record<string, unknown>;
};

/**
 * Prints the result line of a bench and sets the exit code. Faults fail the bench; a timing fails it only if it is
 * clearly worse than its history. With `--record`, a bench that passes adds its figures to that history.
 */
export function conclude({ bench, timings = {}, faults, details }: Conclusion) {
  const history = readHistory().filter((one) => one.bench === bench && one.form === form);
  const judged = Object.fromEntries(
    Object.entries(timings).map(([name, timing]) => [name, judge(timing, valuesOf(history, name))]),
  );
  const regressed = Object.entries(judged).filter(([, { verdict }]) => verdict === 'regressed');
  const problems = [...faults, ...regressed.map(([name, { value }]) => `${name} is ${value}, worse than its history`)];
  for (const problem of problems) console.error(problem);
  const figures = Object.fromEntries(Object.entries(timings).map(([name, { value }]) => [name, value]));
  const passed = problems.length === 0;
  console.log(JSON.stringify({ bench, form, ...figures, passed, timings: judged, ...details }));
  if (passed && process.argv.includes('--record')) record({ bench, figures });
  if (!passed) process.exitCode = 1;
}

function readHistory(): Recorded[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Recorded);
}

const valuesOf = (history: readonly Recorded[], name: string) =>
  history.flatMap(({ figures }) => (figures[name] === undefined ? [] : [figures[name]]));

function record({ bench, figures }: Pick<Recorded, 'bench' | 'figures'>) {
  if (Object.keys(figures).length === 0) return;
  const line: Recorded = { at: new Date().toISOString(), bench, form, cores: availableParallelism(), figures };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

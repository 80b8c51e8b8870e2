import path from 'node:path';
import { inspect } from 'node:util';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { copyCode } from './processes/code.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { type Engine, loadEngine } from './simulation/engine.ts';
import { mutants } from './simulation/mutants.ts';
import { play, type Reached } from './simulation/play.ts';

/*
 * The life of runs at random: planned, approved, paid, stopped, reversed and paid again, while users are blacklisted,
 * promoted and spend, settings change and workers die. After each step, balances, lines and states are those of a plain
 * model.
 */
const seed = seedOfThisRun();
const sequences = isFull ? 3_000 : 100;
const length = 50;
const concurrent = 2;
/** A mutant that is not seen in this many sequences is not caught. */
const sequencesOfMutant = isFull ? 400 : 200;

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const flag = '--mutant=';
/** With --mutant=WORD, only the mutants with that word in their name are played. */
const chosen = process.argv.find((word) => word.startsWith(flag))?.slice(flag.length);
const code = path.resolve(import.meta.dirname, '..');
const result = await simulate(await loadEngine(code), chosen === undefined ? sequences : 0);
if (result.fault !== null) console.error(result.fault);
const caught = result.fault === null ? await catchMutants() : {};
conclude({
  proof: 'simulation',
  passed: result.fault === null,
  mutantCaught: Object.values(caught).every(Boolean),
  mutants: caught,
  seed,
  ...result,
});

/** Plays sequences until one differs from the model. The same seed plays the same sequences. */
async function simulate(engine: Engine, count: number) {
  let steps = 0;
  const reached: Reached = { refused: 0, paid: 0, reversed: 0, dropped: 0, booked: 0, settled: 0 };
  for (let first = 0; first < count; first += concurrent) {
    const places = Array.from({ length: Math.min(concurrent, count - first) }, (_, at) => first + at);
    const played = await Promise.all(
      places.map((place) => play(postgres.url, engine, { chance: chanceOf(seed + place * 7_919), length })),
    );
    for (const [at, one] of played.entries()) {
      steps += one.steps.length;
      for (const name of Object.keys(reached) as (keyof Reached)[]) reached[name] += one.reached[name];
      if (one.fault === null) continue;
      const trace = one.steps.map((step) => inspect(step, { breakLength: 200 })).join('\n');
      return { fault: `${one.fault}\nafter\n${trace}`, sequences: first + at + 1, steps, reached };
    }
    if (first % 50 === 0) logProgress(`${first + places.length} sequences`);
  }
  return { fault: null, sequences: count, steps, reached };
}

async function catchMutants() {
  const results: Record<string, boolean> = {};
  for (const [name, change] of Object.entries(mutants)) {
    if (!name.includes(chosen ?? '')) continue;
    const copy = copyCode([change]);
    try {
      const { fault, sequences: played } = await simulate(await loadEngine(copy.folder), sequencesOfMutant);
      results[name] = fault !== null;
      logProgress(`mutant ${name}: ${fault === null ? 'not seen' : `seen after ${played} sequences`}`);
    } finally {
      copy.remove();
    }
  }
  return results;
}

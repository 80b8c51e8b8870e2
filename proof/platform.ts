import { simulate } from '../simulate/simulate.ts';
import { seedOfThisRun } from './processes/chance.ts';
import { openCluster } from './processes/cluster.ts';
import { type Change, copyCode } from './processes/code.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { mutants } from './platform/mutants.ts';

/*
 * Plays a platform while APIs, workers, the receiver of webhooks and PostgreSQL are killed: its books and those of
 * Bursar are equal to the unit, no event is lost or handled twice, and no withdrawal is confirmed that it did not
 * confirm.
 */
const seed = seedOfThisRun();
const whole = isFull
  ? { users: 300, rate: 10, seconds: 600, killEveryMs: 8_000 }
  : { users: 60, rate: 10, seconds: 40, killEveryMs: 4_500 };
/** What is lost is looked for this long. A message that failed twice comes again after half a minute. */
const patienceMs = 180_000;
const ofMutant = { users: 15, rate: 8, seconds: 12, killEveryMs: undefined, patienceMs: 12_000 };

await using everything = new AsyncDisposableStack();
const cluster = await openCluster();
everything.defer(() => cluster.remove());

const verdict = await playOn([], { name: 'unchanged', ...whole, patienceMs });
logProgress(`checked: ${JSON.stringify(verdict)}`);
const caught: Record<string, boolean> = {};
for (const [name, change] of Object.entries(mutants)) {
  const { passed, faults, firstDifferences } = await playOn([change], { name: name.toLowerCase(), ...ofMutant });
  logProgress(`${name}: ${JSON.stringify([...faults, ...firstDifferences].slice(0, 3))}`);
  caught[name] = !passed;
}
conclude({ proof: 'platform', mutantCaught: Object.values(caught).every(Boolean), mutants: caught, ...verdict });

type Played = Omit<Parameters<typeof simulate>[1], 'code' | 'seed'>;

async function playOn(changes: Change[], played: Played) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode(changes);
  resources.defer(() => code.remove());
  return await simulate(cluster, { ...played, code, seed });
}

import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { copyCode } from './processes/code.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { mutants } from './T16/mutants.ts';
import { attack } from './T16/attack.ts';

/* A rogue administrator with accounts of their own making tries everything: at most their daily limit moves. */
const steps = isFull ? 1_500 : 150;
const seed = seedOfThisRun();

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const code = copyCode();
everything.defer(() => code.remove());

const superAdmin = await attackAs('SuperAdmin');
const finance = await attackAs('Finance');
const caught: Record<string, boolean> = {};
for (const [name, statement] of Object.entries(mutants)) {
  const { isContained, moved } = await attackAs('SuperAdmin', statement);
  caught[name] = !isContained;
  logProgress(`mutant ${name}: ${moved} units moved`);
}
conclude({
  proof: 'T16',
  passed: [superAdmin, finance].every(
    ({ isContained, faults, runs }) => isContained && faults.length === 0 && runs.paid > 0 && runs.reversals > 0,
  ),
  mutantCaught: Object.values(caught).every(Boolean),
  mutants: caught,
  seed,
  steps,
  superAdmin,
  finance,
});

async function attackAs(role: 'SuperAdmin' | 'Finance', mutant?: string) {
  const result = await attack(postgres.url, { code, role, steps, chance: chanceOf(seed), mutant });
  logProgress(`${role}: ${JSON.stringify(result)}`);
  return result;
}

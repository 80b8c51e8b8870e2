import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { copyCode } from './processes/code.ts';
import { openFixture } from './processes/fixture.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { loadAudit } from './T10/audit.ts';
import { openLog } from './T10/log.ts';
import { mutants } from './T10/mutants.ts';
import { kinds, tamper } from './T10/tampering.ts';

/* Someone with the database, and sometimes the key of the seals, changes the audit log: every change is found. */
const trials = isFull ? 1_000 : 120;
const mutantTrials = 60;
const seed = seedOfThisRun();

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const fixture = await openFixture(postgres.url);
everything.defer(() => fixture.close());

const result = await tryAll(trials);
const caught: Record<string, boolean> = {};
for (const [name, change] of Object.entries(mutants)) {
  const { found, tried } = await tryAll(mutantTrials, [change]);
  caught[name] = found < tried;
  logProgress(`mutant ${name}: ${found} of ${tried} found`);
}
conclude({
  proof: 'T10',
  passed: result.found === trials && result.soundAtEnd,
  mutantCaught: Object.values(caught).every(Boolean),
  mutants: caught,
  seed,
  ...result,
});

/** Tampers again and again with the same log, which is put back each time. The code may have a deliberate change. */
async function tryAll(count: number, changes: Parameters<typeof copyCode>[0] = []) {
  const code = copyCode(changes);
  try {
    const audit = await loadAudit(code.folder);
    await using log = await openLog(fixture, audit, chanceOf(seed));
    if (changes.length === 0 && !(await log.isSound())) throw new Error('The untouched log is not sound.');
    const chance = chanceOf(seed + 1);
    const byKind: Record<string, number> = {};
    const missed: string[] = [];
    for (let trial = 0; trial < count; trial += 1) {
      const kind = kinds[trial % kinds.length] ?? 'edit';
      const { what, isFound } = await tamper(log, kind, chance);
      if (isFound) byKind[kind] = (byKind[kind] ?? 0) + 1;
      else missed.push(what);
      if (trial % 100 === 99) logProgress(`${trial + 1} of ${count}`);
    }
    return {
      tried: count,
      found: count - missed.length,
      byKind,
      missed: missed.slice(0, 5),
      soundAtEnd: await log.isSound(),
    };
  } finally {
    code.remove();
  }
}

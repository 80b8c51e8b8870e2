import { buildPanelIfOlder } from '../e2e/build.ts';
import { prepareDemo } from '../e2e/environment.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { mutants } from './T9/mutants.ts';
import { searchSecrets } from './T9/search.ts';

/*
 * Plants secrets, uses everything that the product has, and looks for the secrets in answers, logs, exports, webhooks,
 * all rows of the database, screens and the storage of the browser.
 */
const rounds = isFull ? 30 : 3;
const seed = seedOfThisRun();

await using everything = new AsyncDisposableStack();
await buildPanelIfOlder();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareDemo(postgres.url);

const found = await searchSecrets(postgres.url, { changes: [], chance: chanceOf(seed), rounds, isWhole: true });
for (const hit of found.hits.slice(0, 20)) logProgress(hit);
const caught: Record<string, boolean> = {};
for (const [name, change] of Object.entries(mutants)) {
  const options = { changes: [change], chance: chanceOf(seed), rounds: 1, isWhole: false };
  const { hits } = await searchSecrets(postgres.url, options);
  caught[name] = hits.length > 0;
  logProgress(`mutant ${name}: ${hits.length} hits, such as ${hits[0]}`);
}
const { hits, ...figures } = found;
conclude({
  proof: 'T9',
  passed: hits.length === 0 && found.canaries > 0 && Object.values(found.texts).every((count) => count > 0),
  mutantCaught: Object.values(caught).every(Boolean),
  mutants: caught,
  seed,
  ...figures,
  hits: hits.length,
});

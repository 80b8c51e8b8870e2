import { prepareTemplate } from '../server/src/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './house/chance.ts';
import { type Change, copyCode } from './house/code.ts';
import { openSite } from './house/site.ts';
import { conclude, isFull, tell } from './house/verdict.ts';
import { sendAll } from './T5/senders.ts';

/* Every call is sent five times at once under its key while its servers are killed: it is done once, and answered alike. */
const wish = isFull ? { keys: 10_000, kills: 40 } : { keys: 200, kills: 3 };
const seed = seedOfThisRun();
const chance = chanceOf(seed);

/** It does what it is told and does not remember what it answered. */
const forgetful: Change = {
  file: 'server/src/auth/once.ts',
  from: 'if (written.success) await insertAnswer(',
  to: 'if (Date.now() === 0 && written.success) await insertAnswer(',
};

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const sent = await prove([], wish);
tell(JSON.stringify(sent));
const mutant = await prove([forgetful], { keys: 20, kills: 0 });
tell(`forgetful: ${JSON.stringify(mutant)}`);
conclude({ proof: 'T5', passed: isSound(sent), mutantCaught: !isSound(mutant), seed, ...sent });

function isSound({ differing, unanswered, notOnce, faults }: typeof sent) {
  return differing === 0 && unanswered === 0 && notOnce === 0 && faults.length === 0;
}

async function prove(changes: Change[], { keys, kills }: typeof wish) {
  await using means = new AsyncDisposableStack();
  const code = copyCode(changes);
  means.defer(() => code.remove());
  const site = await openSite(postgres.url);
  means.defer(() => site.close());
  return await sendAll(site, code, { keys, kills, chance });
}

import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { type Change, copyCode } from './processes/code.ts';
import { openFixture } from './processes/fixture.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { forgetsAnswers } from './T5/mutant.ts';
import { sendAll } from './T5/senders.ts';

/* Sends every call five times concurrently with one key while servers are killed: one effect, identical responses. */
const options = isFull ? { keys: 10_000, kills: 40 } : { keys: 200, kills: 3 };
const seed = seedOfThisRun();
const chance = chanceOf(seed);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const sent = await prove([], options);
logProgress(JSON.stringify(sent));
const mutant = await prove(forgetsAnswers, { keys: 20, kills: 0 });
logProgress(`forgetsAnswers: ${JSON.stringify(mutant)}`);
conclude({ proof: 'T5', passed: isSound(sent), mutantCaught: !isSound(mutant), seed, ...sent });

function isSound({ differing, unanswered, notOnce, faults }: typeof sent) {
  return differing === 0 && unanswered === 0 && notOnce === 0 && faults.length === 0;
}

async function prove(changes: Change[], { keys, kills }: typeof options) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode(changes);
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgres.url);
  resources.defer(() => fixture.close());
  return await sendAll(fixture, code, { keys, kills, chance });
}

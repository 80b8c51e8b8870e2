import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { type Change, type Code, copyCode } from './processes/code.ts';
import { type Fixture, openFixture } from './processes/fixture.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { sendInbound } from './T5/inbound.ts';
import { forgetsAnswers, forgetsIds } from './T5/mutant.ts';
import { sendAll } from './T5/senders.ts';

/*
 * Sends every call five times concurrently while servers are killed. Calls of administrators have one key: one effect,
 * identical responses. Calls of the platform have the ids of their items: each item is stored once.
 */
const options = isFull ? { keys: 10_000, kills: 40 } : { keys: 200, kills: 3 };
const inboundOptions = isFull ? { calls: 3_000, kills: 40 } : { calls: 120, kills: 3 };
const seed = seedOfThisRun();
const chance = chanceOf(seed);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const sent = await prove([], (fixture, code) => sendAll(fixture, code, { ...options, chance }));
logProgress(JSON.stringify(sent));
const inbound = await prove([], (fixture, code) => sendInbound(fixture, code, { ...inboundOptions, chance }));
logProgress(JSON.stringify(inbound));
const mutant = await prove(forgetsAnswers, (fixture, code) => sendAll(fixture, code, { keys: 20, kills: 0, chance }));
logProgress(`forgetsAnswers: ${JSON.stringify(mutant)}`);
const inboundMutant = await prove(forgetsIds, (fixture, code) =>
  sendInbound(fixture, code, { calls: 12, kills: 0, chance }),
);
logProgress(`forgetsIds: ${JSON.stringify(inboundMutant)}`);
conclude({
  proof: 'T5',
  passed: isSound(sent) && isSoundInbound(inbound),
  mutantCaught: !isSound(mutant) && !isSoundInbound(inboundMutant),
  seed,
  ...sent,
  inbound,
});

function isSound({ differing, unanswered, notOnce, faults }: typeof sent) {
  return differing === 0 && unanswered === 0 && notOnce === 0 && faults.length === 0;
}

function isSoundInbound({ unanswered, storedTwice, rowsMissing, faults }: typeof inbound) {
  return unanswered === 0 && storedTwice === 0 && rowsMissing === 0 && faults.length === 0;
}

async function prove<Outcome>(changes: Change[], act: (fixture: Fixture, code: Code) => Promise<Outcome>) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode(changes);
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgres.url);
  resources.defer(() => fixture.close());
  return await act(fixture, code);
}

import { cpus, totalmem } from 'node:os';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { type Change, copyCode } from './processes/code.ts';
import { openFixture } from './processes/fixture.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { networks, perSecond } from './T8/attackers.ts';
import { besiege } from './T8/siege.ts';
import { oneLaneForAll } from './T8/mutant.ts';

/*
 * 200 sign-ins a second with wrong passwords, from 200 networks: the administrator whom they attack signs in from a
 * known device every time, and 99 of 100 times within a second.
 */
const seconds = isFull ? 300 : 20;
const slowestMs = 1_000;
const seed = seedOfThisRun();
const chance = chanceOf(seed);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const outcome = await attackOn([], seconds);
const mutant = await attackOn(oneLaneForAll, 10);
const machine = {
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1024 ** 3),
};
conclude({
  proof: 'T8',
  passed: isServed(outcome) && wasAttacked(outcome),
  mutantCaught: !isServed(mutant),
  seed,
  networks,
  machine,
  ...outcome,
  mutant: mutant.administrator,
});

async function attackOn(changes: Change[], duration: number) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode(changes);
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgres.url);
  resources.defer(() => fixture.close());
  const found = await besiege(fixture, { code, seconds: duration, chance });
  logProgress(JSON.stringify(found));
  return found;
}

function isServed({ administrator: { attempts, signedIn, p99Ms } }: typeof outcome) {
  return attempts > 0 && signedIn === attempts && p99Ms <= slowestMs;
}

/** A machine that is too slow to send the attack proves nothing, and neither does an attack that the server let in. */
function wasAttacked({ attack: { sentPerSecond, answers } }: typeof outcome) {
  const isRefused = Object.keys(answers).every((status) => ['401', '429', '503'].includes(status));
  return sentPerSecond >= perSecond * 0.95 && isRefused;
}

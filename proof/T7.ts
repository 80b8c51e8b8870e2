import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { testVariables } from '../server/src/core/testing/config.ts';
import { cloneDemoTemplate, prepareDemoTemplate } from '../server/src/core/testing/template.ts';
import { freePort } from '../tools/ports.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { type Change, copyCode } from './processes/code.ts';
import { openFixture } from './processes/fixture.ts';
import { startProgram } from './processes/program.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { fuzz } from './T7/fuzz.ts';
import { mutants } from './T7/mutants.ts';

/*
 * Sends random, boundary and hostile values to every endpoint, as the OpenAPI document describes it: no answer is a
 * server error, and none has a status or code that the document does not declare.
 */
const requests = isFull ? 200_000 : 6_000;
const requestsOfMutant = 2_000;
const seed = seedOfThisRun();
const root = path.resolve(import.meta.dirname, '..');

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareDemoTemplate(postgres.url, seedDemo);
logProgress('the demo data is there');

const found = await fuzzWith([], requests);
logProgress(JSON.stringify(found.statuses));
for (const example of found.examples) logProgress(example);
const caught: Record<string, boolean> = {};
for (const [name, change] of Object.entries(mutants)) {
  const { serverErrors, undeclared, examples } = await fuzzWith([change], requestsOfMutant);
  caught[name] = serverErrors + undeclared > 0;
  logProgress(`mutant ${name}: ${serverErrors} server errors, ${undeclared} undeclared answers: ${examples[0]}`);
}
const { examples, ...figures } = found;
conclude({
  proof: 'T7',
  passed: found.serverErrors === 0 && found.undeclared === 0 && found.neverSucceeded.length < found.operations / 3,
  mutantCaught: Object.values(caught).every(Boolean),
  mutants: caught,
  seed,
  ...figures,
  firstFaults: examples.slice(0, 5),
});

async function seedDemo(url: string) {
  const env = { ...process.env, ...testVariables(url) };
  await promisify(execFile)(process.execPath, [path.join(root, 'server/src/cli.ts'), 'seed', 'demo'], { env });
}

async function fuzzWith(changes: Change[], count: number) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode(changes);
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgres.url, cloneDemoTemplate);
  resources.defer(() => fixture.close());
  const port = await freePort();
  const environment = {
    ...fixture.environment,
    PORT: String(port),
    DATABASE_CONNECTIONS: '20',
    BURSAR_TRUSTED_PROXIES: '127.0.0.1',
  };
  const program = startProgram({ code, program: 'main.ts', environment });
  resources.defer(() => program.kill());
  await program.readyOrThrow();
  return await fuzz({ fixture, address: `http://127.0.0.1:${port}`, requests: count, chance: chanceOf(seed) });
}

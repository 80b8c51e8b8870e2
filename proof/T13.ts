import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildPanelIfOlder } from '../e2e/build.ts';
import { prepareDemo } from '../e2e/environment.ts';
import { cloneDemoTemplate } from '../server/src/core/testing/template.ts';
import { freePort } from '../tools/ports.ts';
import { startPostgres } from '../tools/postgres.ts';
import { type Code, copyCode, servePanel } from './processes/code.ts';
import { openFixture } from './processes/fixture.ts';
import { startProgram } from './processes/program.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { screensOfMutant, writesHtml } from './T13/mutant.ts';
import { payloads } from './T13/payloads.ts';
import { plantPayloads } from './T13/plant.ts';
import { visitScreens } from './T13/visit.ts';

/*
 * Plants 200 payloads, spread over every kind of text that people and platforms write, and opens every screen in
 * Chromium: no payload executes or becomes an element, and nothing violates the content security policy. In full form,
 * several rounds give every text other payloads.
 */
const rounds = isFull ? 8 : 1;
const root = path.resolve(import.meta.dirname, '..');

await using everything = new AsyncDisposableStack();
await buildPanelIfOlder();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareDemo(postgres.url);

const shown = new Set<number>();
const totals = { visited: 0, withPayloads: 0, executions: 0, violations: 0, elements: 0, incomplete: 0 };
const first: string[] = [];
for (let round = 0; round < rounds; round += 1) {
  const visit = await prove(withBuiltPanel(), { round });
  for (const number of visit.shown) shown.add(number);
  for (const name of ['executions', 'violations', 'elements'] as const) {
    totals[name] += visit.incidents[name].length;
    first.push(...visit.incidents[name].slice(0, 5));
  }
  totals.visited += visit.visited;
  totals.withPayloads += visit.withPayloads;
  totals.incomplete += visit.incomplete.length;
  logProgress(
    `round ${round}: ${visit.visited} screens, ${visit.withPayloads} with payloads, ${shown.size} payloads shown`,
  );
}

const mutant = await prove(await withMutant(), { round: 0, only: screensOfMutant });
const caughtBy = Object.values(mutant.incidents).flat();
logProgress(`mutant: ${caughtBy[0]}`);
conclude({
  proof: 'T13',
  passed:
    totals.executions + totals.violations + totals.elements === 0 &&
    totals.withPayloads > totals.visited / 2 &&
    totals.incomplete < totals.visited / 5 &&
    shown.size >= (isFull ? payloads.length : payloads.length / 2),
  mutantCaught: caughtBy.length > 0,
  payloadsShown: shown.size,
  ...totals,
  first,
});

function withBuiltPanel() {
  const code = copyCode();
  servePanel(code);
  return code;
}

async function withMutant() {
  const code = copyCode([writesHtml], { panel: true });
  await promisify(execFile)(path.join(root, 'node_modules/.bin/vite'), ['build', 'panel'], { cwd: code.folder });
  return code;
}

async function prove(code: Code, { round, only }: { round: number; only?: readonly string[] }) {
  await using resources = new AsyncDisposableStack();
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgres.url, cloneDemoTemplate);
  resources.defer(() => fixture.close());
  const planted = await plantPayloads(fixture, round);
  logProgress(`${planted} payloads are planted`);
  const port = await freePort();
  const environment = { ...fixture.environment, PORT: String(port) };
  const programs = [
    startProgram({ code, program: 'main.ts', environment }),
    startProgram({ code, program: 'worker.ts', environment }),
  ];
  resources.defer(async () => void (await Promise.all(programs.map((program) => program.kill()))));
  await Promise.all(programs.map((program) => program.readyOrThrow()));
  return await visitScreens({ address: `http://127.0.0.1:${port}`, ...(only && { only }) });
}

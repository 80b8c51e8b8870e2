import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { conclude } from './history/conclude.ts';
import { openInstallation } from './idle/installation.ts';
import { countStatements, openCounters, statementSettings } from './idle/statements.ts';
import { rounded } from './lists/samples.ts';

/* Measures the cost of one idle API process and one idle worker on the demo data. */
const limit = 8;
const { values } = parseArgs({
  // The one positional argument is the name of the bench.
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, full: { type: 'boolean' }, record: { type: 'boolean' } },
});
const seconds = Number(values.seconds);
if (!(seconds >= 1)) throw new Error('--seconds takes a number of at least 1.');
if (process.env['DATABASE_URL']) {
  throw new Error('This bench reads the log of a PostgreSQL of its own. Unset DATABASE_URL.');
}

await using resources = new AsyncDisposableStack();
const folder = await mkdtemp(path.join(tmpdir(), 'bursar-idle-log-'));
resources.defer(() => rm(folder, { recursive: true, force: true }));
const logFile = path.join(folder, 'postgres.log');
const postgres = await startPostgres({ settings: statementSettings, logFile });
resources.defer(() => postgres.stop());
await prepareTemplate(postgres.url);
const installation = await openInstallation(postgres.url);
resources.defer(installation.close);
const counters = await openCounters(postgres.url, logFile);
resources.defer(counters.close);
console.error('waiting until the jobs of the first minute are done …');
await installation.untilQuiet();

console.error(`observing for ${seconds} s …`);
const before = await observe();
await wait(seconds * 1_000);
const after = await observe();
report();

async function observe() {
  return { at: performance.now(), counted: await counters.read(), processor: await installation.processorSeconds() };
}

function report() {
  const elapsed = (after.at - before.at) / 1_000;
  const used = (program: keyof typeof after.processor) => rounded(after.processor[program] - before.processor[program]);
  const logged = Object.entries(countStatements(logFile, before.counted.logSize, after.counted.logSize));
  const statementsPerSecond = rounded(logged.reduce((sum, [, count]) => sum + count, 0) / elapsed);
  conclude({
    bench: 'idle',
    faults: statementsPerSecond <= limit ? [] : [`${statementsPerSecond} statements a second, ${limit} allowed`],
    details: {
      seconds,
      statementsPerSecond,
      byApplication: Object.fromEntries(logged.map(([name, count]) => [name, rounded(count / elapsed)])),
      executedPerSecond: rounded((after.counted.executed - before.counted.executed) / elapsed),
      processorSeconds: { api: used('api'), worker: used('worker'), postgres: used('postgres') },
    },
  });
}

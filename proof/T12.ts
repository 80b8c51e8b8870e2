import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { freePort } from '../tools/ports.ts';
import { startPostgres } from '../tools/postgres.ts';
import { type Change, copyCode } from './processes/code.ts';
import { openCluster } from './processes/cluster.ts';
import { type Fixture, openFixture } from './processes/fixture.ts';
import { startProgram } from './processes/program.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { fillDisk, isBounded, isSound, slowDatabase, storm } from './T12/faults.ts';
import { acknowledgesFailures, ofStorm } from './T12/mutants.ts';
import { openSenders } from './T12/senders.ts';
import { openSlowProxy } from './T12/slow-proxy.ts';
import { openSmallDisk } from './T12/small-disk.ts';

/*
 * Fills the disk of the database, slows the database down by two seconds, and lets five hundred clients call a process
 * with ten connections. Nothing acknowledged is lost, what cannot be done is refused with 503 and Retry-After, and five
 * seconds later everything works again.
 */
const options = isFull ? { times: 10, seconds: 60, waves: 20 } : { times: 2, seconds: 8, waves: 2 };
const diskMb = 220;

await using everything = new AsyncDisposableStack();
const fullDisk = await proveFullDisk();
logProgress(`full disk: ${JSON.stringify(fullDisk)}`);
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const slow = await behindProxy([], ({ world, proxy }) => slowDatabase(world, { proxy, seconds: options.seconds }));
logProgress(`slow database: ${JSON.stringify(slow)}`);
const stormed = await behindProxy([], ({ world, proxy }) => storm(world, { proxy, waves: options.waves }));
logProgress(`storm: ${JSON.stringify(stormed)}`);

const caught: Record<string, boolean> = {};
const untrue = await behindProxy([acknowledgesFailures], ({ world, proxy }) =>
  slowDatabase(world, { proxy, seconds: 8 }),
);
logProgress(`mutant acknowledgesFailures: ${untrue.acknowledgedAndLost} lost`);
caught['acknowledgesFailures'] = untrue.acknowledgedAndLost > 0;
for (const [name, change] of Object.entries(ofStorm)) {
  const summary = await behindProxy([change], ({ world, proxy }) => storm(world, { proxy, waves: 1 }));
  logProgress(`mutant ${name}: ${JSON.stringify(summary)}`);
  caught[name] = !isSound(summary) || !isBounded(summary);
}

conclude({
  proof: 'T12',
  passed: [fullDisk, slow, stormed].every(isSound) && fullDisk.refused > 0 && isBounded(stormed),
  mutantCaught: Object.values(caught).every(Boolean),
  mutants: caught,
  fullDisk,
  slow,
  stormed,
});

async function proveFullDisk() {
  await using resources = new AsyncDisposableStack();
  const disk = await openSmallDisk(diskMb);
  resources.defer(() => disk.remove());
  const settings = ['shared_buffers=32MB', 'max_wal_size=32MB', 'min_wal_size=32MB'];
  const cluster = await openCluster({ folder: disk.folder, settings });
  resources.defer(() => cluster.stop());
  await prepareTemplate(cluster.urlOf('postgres'));
  const fixture = await openFixture(cluster.urlOf('postgres'));
  resources.defer(() => fixture.close());
  const world = await serve(resources, { fixture, changes: [], environment: {} });
  return await fillDisk(world, { cluster, disk, times: options.times });
}

type Behind = { world: Awaited<ReturnType<typeof serve>>; proxy: Awaited<ReturnType<typeof openSlowProxy>> };

/** Starts an API whose connections to the database go through a proxy. */
async function behindProxy<Outcome>(changes: Change[], act: (behind: Behind) => Promise<Outcome>) {
  await using resources = new AsyncDisposableStack();
  const fixture = await openFixture(postgres.url);
  resources.defer(() => fixture.close());
  const url = new URL(fixture.url);
  const proxy = await openSlowProxy(Number(url.port));
  resources.defer(() => proxy.close());
  url.port = String(proxy.port);
  url.hostname = '127.0.0.1';
  const world = await serve(resources, { fixture, changes, environment: { DATABASE_URL: url.href } });
  return await act({ world, proxy });
}

type Start = { fixture: Fixture; changes: Change[]; environment: Record<string, string> };

async function serve(resources: AsyncDisposableStack, { fixture, changes, environment }: Start) {
  const code = copyCode(changes);
  resources.defer(() => code.remove());
  // A database for tests does not wait for its disk.
  await fixture.pool.query(`alter database ${new URL(fixture.url).pathname.slice(1)} set synchronous_commit = on`);
  const port = await freePort();
  const program = startProgram({
    code,
    program: 'main.ts',
    environment: { ...fixture.environment, ...environment, PORT: String(port), DATABASE_CONNECTIONS: '10' },
  });
  resources.defer(() => program.kill());
  await program.readyOrThrow();
  return { fixture, senders: await openSenders(fixture, `http://127.0.0.1:${port}`) };
}

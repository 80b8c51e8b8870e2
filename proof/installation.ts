import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../tools/ports.ts';
import { conclude } from './processes/verdict.ts';
import { openServer, type Server, type Version } from './installation/cluster.ts';
import { replaced } from './installation/documents.ts';
import { installedVersions, openMachine } from './installation/machine.ts';
import { isMutantCaught } from './installation/mutant.ts';
import { openProxy } from './installation/proxy.ts';
import { publish } from './installation/repository.ts';
import { type Installation, installationOf } from './installation/installation.ts';
import {
  examine,
  type Expect,
  faultsOf,
  receiveChange,
  setUp,
  startLine,
  stopThroughNpm,
  upgrade,
  waitForHead,
  work,
} from './installation/steps.ts';
import { openVisitor, type Visitor } from './installation/visitor.ts';

/*
 * An ordinary account follows README.md and docs/operating.md to the letter, from a fresh clone, on every version of
 * PostgreSQL that the machine has: install, set up, sign in through nginx, live update, stop, upgrade, backup, restore.
 */
const machine = await openMachine();
const repository = await publish(machine);
const faults: string[] = [];
let mutantCaught = false;

/** It comes without pg_dump, and the pg_dump of an older version refuses to dump it. */
const embedded: Version = { name: 'embedded PostgreSQL', canDump: false };
const versions: Version[] = [
  ...installedVersions().map(({ version, programs }) => ({ name: `PostgreSQL ${version}`, programs, canDump: true })),
  embedded,
];
try {
  await repository.install();
  for (const version of versions) await followOn(version);
} finally {
  await machine.close();
}
const names = versions.map(({ name }) => name);
conclude({ proof: 'installation', passed: faults.length === 0, mutantCaught, versions: names, faults });

async function followOn(version: Version) {
  await using resources = new AsyncDisposableStack();
  const expect = faultsOf(version.name, faults);
  const server = await openServer(machine, version);
  resources.defer(() => server.close());
  const apiPort = await freePort();
  const { address, nginx } = await openProxy(machine, apiPort);
  resources.defer(async () => void (await nginx.stop()));
  const visitor = openVisitor(address);
  resources.defer(() => visitor.close());
  const folder = await repository.copyInstalled(`installation-${server.port}`);
  const place = { machine, folder, apiPort };
  const installation = installationOf({ ...place, server });
  resources.defer(async () => void (await installation.stop()));

  await setUp(installation, expect);
  await installation.start();
  await work(visitor, expect);
  await waitForHead(installation);
  await examine(installation, expect);
  await stopCleanly(installation, expect);
  await stopThroughNpm(installation, expect);
  mutantCaught ||= await isMutantCaught(installation, visitor);
  await worksAgain(installation, visitor, expect);
  await upgradeInstallation(installation, expect);
  await worksAgain(installation, visitor, expect);
  if (!version.canDump) return;

  await installation.follow('docs/operating.md', 'backup');
  await server.replaceByEmpty();
  await installation.follow('docs/operating.md', 'restore');
  await worksAgain(installation, visitor, expect);
  const newer = await openServer(machine, { ...embedded, name: `${version.name} to ${embedded.name}` });
  resources.defer(() => newer.close());
  const moved = installationOf({ ...place, server: newer });
  resources.defer(async () => void (await moved.stop()));
  await moveTo(moved, server);
  await worksAgain(moved, visitor, expect);
}

/** Starts the installation, checks that the earlier session is still valid, and stops it. */
async function worksAgain(installation: Installation, visitor: Visitor, expect: Expect) {
  await installation.start();
  await receiveChange(visitor, expect);
  await stopCleanly(installation, expect);
}

async function stopCleanly(installation: Installation, expect: Expect) {
  const codes = await installation.stop();
  expect(codes.join() === '0,0', `SIGTERM: exit codes ${codes.join()}`);
}

/** Upgrades to a version with one more migration. The old version must refuse to start on the new tables. */
async function upgradeInstallation(installation: Installation, expect: Expect) {
  await repository.release(`9${installation.server.port}`);
  await upgrade(installation, expect, { withPackages: installation.server.name === versions[0]?.name });
  const line = `set -a; . ${installation.folder}/.env; set +a; ${startLine()}`;
  const { code, output } = await machine.type(line, { cwd: repository.installed });
  expect(code === 1 && output.includes('newer than this code'), `old code ran on new tables: ${output}`);
}

/** Restores the newest backup into an empty cluster of another version, at another address. */
async function moveTo(installation: Installation, from: Server) {
  const file = path.join(installation.folder, '.env');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, replaced(text, { [`127.0.0.1:${from.port}/`]: `127.0.0.1:${installation.server.port}/` }));
  await installation.follow('docs/operating.md', 'restore');
}

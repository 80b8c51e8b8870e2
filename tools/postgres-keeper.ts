import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './ports.ts';
import type { KeeperAnswer, PostgresOptions } from './postgres.ts';
import { clearOldServer, type Cluster, createCluster, runServer } from './postgres-cluster.ts';
import { findHome } from './postgres-home.ts';

const answer = (message: KeeperAnswer) => process.send?.(message);

let stopped = false;
let stopServer: () => Promise<void> = () => Promise.resolve();

function stop() {
  if (stopped) return;
  stopped = true;
  stopServer().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
process.on('disconnect', stop);
process.once('message', (options: PostgresOptions) => {
  keep(options).catch((reason: unknown) => {
    answer({ failure: reason instanceof Error ? reason.message : String(reason) });
    process.exit(1);
  });
});

async function keep(options: PostgresOptions) {
  const temporary = options.folder === undefined;
  const folder = options.folder ?? (await mkdtemp(path.join(tmpdir(), 'bursar-postgres-')));
  const home = await findHome(folder);
  const password = await keptPassword(home.folder);
  const data = path.join(home.folder, 'data');
  const { memoryMb, settings, logFile } = options;
  const cluster: Cluster = { ...home, data, password, durable: !temporary, memoryMb, settings, logFile };
  const removeTemporary = async () => {
    // Hundreds of databases are hundreds of thousands of files, which `rm` one by one would take ten seconds.
    if (temporary) rmSync(folder, { recursive: true, force: true });
  };
  stopServer = removeTemporary;

  await clearOldServer(cluster);
  await createCluster(cluster);
  const port = await freePort(options.port);
  const server = await runServer(cluster, port);
  stopServer = async () => {
    await server.stop();
    await removeTemporary();
  };
  if (stopped) return stopServer();
  answer({ url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, notes: home.notes });
  const reason = await server.ended;
  if (!stopped) process.stderr.write(`PostgreSQL ended by itself: ${reason}\n`);
  return removeTemporary();
}

/** Returns the stored password, or creates one: every local account can reach the port of the database. */
async function keptPassword(folder: string) {
  const file = path.join(folder, 'password');
  await mkdir(folder, { recursive: true });
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept) return kept;
  const password = randomBytes(18).toString('base64url');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Home } from './postgres-home.ts';

const run = promisify(execFile);

export type Cluster = Home & {
  data: string;
  password: string;
  durable: boolean;
  memoryMb?: number | undefined;
  settings?: readonly string[] | undefined;
  logFile?: string | undefined;
  /** The locale flags of initdb. The default suits the embedded version. */
  locale?: readonly string[] | undefined;
};

/** The caller's environment is not passed on: its PGPORT, PGDATA or locale would change the server. */
const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' };

const options = (cluster: Cluster) => ({ ...cluster.account, cwd: '/', env: environment });

/** Creates the cluster unless it exists. initdb works in another folder, so that an existing cluster is complete. */
export async function createCluster(cluster: Cluster) {
  if (await stat(path.join(cluster.data, 'PG_VERSION')).catch(() => undefined)) return;
  const fresh = `${cluster.data}.new`;
  const passwordFile = path.join(cluster.folder, 'initdb-password');
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  await writeFile(passwordFile, cluster.password, { mode: 0o600 });
  if (cluster.account) {
    await chown(fresh, cluster.account.uid, cluster.account.gid);
    await chown(passwordFile, cluster.account.uid, cluster.account.gid);
  }
  try {
    const flags = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--no-sync'];
    await run(
      path.join(cluster.programs, 'initdb'),
      [`--pgdata=${fresh}`, ...flags, ...(cluster.locale ?? (await locale()))],
      options(cluster),
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(fresh, cluster.data);
}

/** Text sorts by code point everywhere; only the character classes, which trigrams need, come from the machine. */
async function locale() {
  const known = await run('locale', ['-a']).catch(() => ({ stdout: '' }));
  const letters = ['C.UTF-8', 'C.utf8', 'en_US.UTF-8', 'en_US.utf8'].find((name) =>
    known.stdout.split('\n').includes(name),
  );
  const provider = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  return ['--encoding=UTF8', ...provider, '--locale=C', `--lc-ctype=${letters ?? 'C'}`];
}

export type Server = { ended: Promise<string>; stop(): Promise<void> };

export async function runServer(cluster: Cluster, port: number): Promise<Server> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'timezone=UTC', 'max_connections=200'];
  if (!cluster.durable) settings.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  if (cluster.memoryMb !== undefined) settings.push(`shared_buffers=${cluster.memoryMb}MB`);
  settings.push(...(cluster.settings ?? []));
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const server = spawn(path.join(cluster.programs, 'postgres'), ['-D', cluster.data, '-p', String(port), ...flags], {
    ...options(cluster),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (cluster.logFile !== undefined) server.stderr.pipe(createWriteStream(cluster.logFile));
  let lastOutput = '';
  const ended = new Promise<string>((resolve) => {
    server.once('error', (reason) => resolve(reason.message));
    server.once('exit', () => resolve(lastOutput.trim()));
  });
  const ready = new Promise<true>((resolve) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      lastOutput = `${lastOutput}${text}`.slice(-2_000);
      if (lastOutput.includes('ready to accept connections')) resolve(true);
    });
  });
  const outcome = await Promise.race([ready, ended]);
  if (outcome !== true) throw new Error(outcome);
  return {
    ended,
    async stop() {
      server.kill('SIGINT');
      await ended;
    },
  };
}

/**
 * Clears what an unclean stop left. The lock file names a process that is gone, an unrelated one, or our orphan, which
 * is stopped. Fails if another process of this project uses the cluster, or the orphan does not stop.
 */
export async function clearOldServer(cluster: Cluster) {
  const lock = path.join(cluster.data, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(lock, 'utf8').catch(() => ''), 10);
  if (Number.isNaN(pid)) return;
  const command = await commandOf(pid);
  if (!command.includes(cluster.data)) return rm(lock, { force: true });
  const { stdout: parent } = await run('ps', ['-o', 'ppid=', '-p', String(pid)]);
  if ((await commandOf(Number(parent))).includes('postgres-keeper')) {
    throw new Error(`Another process of this project is using ${cluster.folder}. Stop it first.`);
  }
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.kill(pid, signal);
    for (let tenths = 0; tenths < 100; tenths += 1) {
      if (!(await commandOf(pid)).includes(cluster.data)) return;
      await wait(100);
    }
  }
  throw new Error(`An earlier PostgreSQL (process ${pid}) still holds ${cluster.data} and does not stop.`);
}

async function commandOf(pid: number) {
  return run('ps', ['-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

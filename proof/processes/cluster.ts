import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../tools/ports.ts';
import { type Cluster, clearOldServer, createCluster, runServer, type Server } from '../../tools/postgres-cluster.ts';
import { findHome } from '../../tools/postgres-home.ts';

const run = promisify(execFile);
const patienceMs = 60_000;
const pollMs = 50;

export type OwnCluster = Awaited<ReturnType<typeof openCluster>>;

type Options = { folder?: string; settings?: readonly string[] };

/** Opens a PostgreSQL that may be killed. It waits for the disk, as in a real installation. */
export async function openCluster({ folder, settings }: Options = {}) {
  const home = await findHome(folder ?? (await mkdtemp(path.join(tmpdir(), 'bursar-killed-'))));
  const password = randomBytes(18).toString('base64url');
  const cluster: Cluster = { ...home, data: path.join(home.folder, 'data'), password, durable: true, settings };
  await createCluster(cluster);
  const port = await freePort();
  const urlOf = (name: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${name}`;
  let server: Server = await runServer(cluster, port);
  // Otherwise a proof that fails midway would leave it running.
  process.once('exit', () => void server.stop());

  const postmaster = async () => Number.parseInt(await readFile(path.join(cluster.data, 'postmaster.pid'), 'utf8'), 10);

  return {
    urlOf,
    port,
    /** Whether the postmaster has ended by itself. */
    hasEnded: async () => (await Promise.race([server.ended, Promise.resolve()])) !== undefined,
    /** Kills all processes. The postmaster is stopped first, so that it starts no others in the meantime. */
    async killAll() {
      const first = await postmaster();
      process.kill(first, 'SIGSTOP');
      const others = await childrenOf(first);
      for (const pid of [...others, first]) killOne(pid);
      await server.ended;
      await allGone(others);
      return others.length + 1;
    },
    /** Restarts on the same data and returns the time until it accepts connections. */
    async restart() {
      const started = performance.now();
      await clearOldServer(cluster);
      server = await runServer(cluster, port);
      await answers(urlOf('postgres'));
      return performance.now() - started;
    },
    /** Waits until it accepts connections. */
    answers: () => answers(urlOf('postgres')),
    stop: () => server.stop(),
    async remove() {
      await server.stop();
      await rm(home.folder, { recursive: true, force: true });
    },
  };
}

function killOne(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (reason) {
    if (!(reason instanceof Error && 'code' in reason && reason.code === 'ESRCH')) throw reason;
  }
}

async function processes() {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state]) => ({ pid: Number(pid), parent: Number(parent), isDead: state?.startsWith('Z') }));
}

const childrenOf = async (first: number) =>
  (await processes()).filter(({ parent }) => parent === first).map(({ pid }) => pid);

/** Waits until all processes are gone: the next server must not touch the data before. */
async function allGone(pids: readonly number[]) {
  const some = async () => (await processes()).some(({ pid, isDead }) => pids.includes(pid) && !isDead);
  while (await some()) await wait(pollMs);
}

async function answers(url: string) {
  for (const latest = Date.now() + patienceMs; Date.now() < latest; await wait(pollMs)) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (connected) return;
  }
  throw new Error('PostgreSQL does not come back.');
}

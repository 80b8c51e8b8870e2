import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findHome, type Home } from '../../tools/postgres-home.ts';
import { logProgress } from '../processes/verdict.ts';

const run = promisify(execFile);

export type Machine = Awaited<ReturnType<typeof openMachine>>;
export type Started = ReturnType<Machine['start']>;

const running = new Set<ChildProcess>();
/** Otherwise a proof that fails midway would leave them running. */
process.once('exit', () => {
  for (const child of running) killGroup(child, 'SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0) {
  try {
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/**
 * Opens an ordinary account with a home folder, in which commands are typed into a shell. If this process runs as root,
 * it is an existing unprivileged account; otherwise it is the current account.
 */
export async function openMachine() {
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-installation-'));
  await chmod(folder, 0o755);
  const home = await findHome(folder);
  const own = ownFolders(folder, home.account);
  const environment = await environmentOf(folder, own('home'));

  const options = (cwd: string, more: Record<string, string> = {}) => ({
    ...home.account,
    cwd,
    env: { ...environment, ...more },
  });

  return {
    folder,
    home,
    own,
    /** Types a line into a shell and waits until it ends. */
    async type(line: string, { cwd, input = '', preamble = '', variables = {} }: Typed) {
      const child = spawn(
        'bash',
        ['--norc', '-euo', 'pipefail', '-c', `${preamble}\n${line}`],
        options(cwd, variables),
      );
      // A line that reads no input may end before this is written.
      child.stdin.on('error', () => undefined).end(input);
      const output = outputOf(child);
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, output: output() };
    },
    /** Starts a program that runs until it is stopped, in its own process group. */
    start(line: string, { cwd, variables = {} }: Pick<Typed, 'cwd' | 'variables'>) {
      const child = spawn('bash', ['--norc', '-c', `exec ${line}`], { ...options(cwd, variables), detached: true });
      running.add(child);
      child.stdin.end();
      const output = outputOf(child);
      const ended = once(child, 'close').then(([code]) => code as number | null);
      return {
        output,
        ended,
        hasEnded: () => child.exitCode !== null || child.signalCode !== null,
        /** Returns whether a process of its group is left. */
        isLeft: () => killGroup(child, 0),
        /** Sends SIGTERM to the started process only, not to its group. */
        async stop() {
          child.kill('SIGTERM');
          const code = await Promise.race([ended, wait(40_000, 'late' as const, { ref: false })]);
          if (!killGroup(child, 0)) running.delete(child);
          return code;
        },
        /** Does what Ctrl-C does in a terminal, and waits until it has ended. */
        async interrupt() {
          killGroup(child, 'SIGINT');
          const code = await Promise.race([ended, wait(40_000, 'late' as const, { ref: false })]);
          if (!killGroup(child, 0)) running.delete(child);
          return code;
        },
        kill: () => killGroup(child, 'SIGKILL'),
      };
    },
    async close() {
      for (const child of running) killGroup(child, 'SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Typed = { cwd: string; input?: string; preamble?: string; variables?: Record<string, string> };

function outputOf(child: ChildProcess) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return () => output;
}

function ownFolders(folder: string, account: Home['account']) {
  const give = (file: string) => {
    if (account) chownSync(file, account.uid, account.gid);
  };
  return (...names: string[]) => {
    const made = path.join(folder, ...names);
    mkdirSync(made, { recursive: true });
    give(made);
    return made;
  };
}

/** Returns an environment with Node.js and npm, and nothing else of the current environment. */
async function environmentOf(folder: string, home: string) {
  const programs = path.join(folder, 'programs');
  mkdirSync(programs);
  copyFileSync(process.execPath, path.join(programs, 'node'));
  const { stdout: npm } = await run('bash', ['-c', 'type -P npm']);
  const settings = await npmSettings(home);
  const known = [path.dirname(npm.trim()), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin'];
  return { PATH: [programs, ...known].join(':'), HOME: home, LC_ALL: 'C.UTF-8', USER: 'operator', ...settings };
}

/** Keeps the npm settings: a machine may need its own registry or certificates to install packages. */
async function npmSettings(home: string) {
  const mine = path.join(process.env['HOME'] ?? '', '.npmrc');
  try {
    copyFileSync(mine, path.join(home, '.npmrc'));
    await chmod(path.join(home, '.npmrc'), 0o644);
  } catch {
    logProgress(`no ${mine}: packages come from the registry of npm`);
  }
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  return certificates ? { NODE_EXTRA_CA_CERTS: certificates } : {};
}

/** Returns the PostgreSQL versions that are installed from Debian packages, oldest first. */
export function installedVersions() {
  const root = '/usr/lib/postgresql';
  const names = (() => {
    try {
      return readdirSync(root);
    } catch {
      return [];
    }
  })();
  return names
    .map(Number)
    .filter((version) => version >= 15)
    .sort((one, other) => one - other)
    .map((version) => ({ version, programs: path.join(root, String(version), 'bin') }));
}

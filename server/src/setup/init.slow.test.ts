import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { setupStatements } from '#server/core/db/setup-sql.ts';
import { startProgram } from '#server/core/testing/process.ts';

async function freshFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-init-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const run = (...args: string[]) => startProgram({ program: 'cli.ts', args, environment: {}, cwd: folder }).ended;
  const settings = () => readFile(path.join(folder, '.env'), 'utf8');
  return { folder, run, settings };
}

const mode = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

test('init writes complete settings that only their owner can read, and creates the folders they name', async () => {
  const { folder, run, settings } = await freshFolder();
  const { code, stdout } = await run('init', '--database', 'db.example:6543/treasury');
  expect(code).toBe(0);
  expect(await mode(path.join(folder, '.env'))).toBe('600');
  expect(await mode(path.join(folder, '.env.worker'))).toBe('600');
  expect(await settings()).not.toContain('BURSAR_AUDIT_SIGNING_KEY');
  const config = readConfig(parseEnv(await settings()));
  expect(path.dirname(config.audit.headFile)).toBe(path.join(folder, 'var'));
  expect(await mode(path.join(folder, 'var'))).toBe('700');
  expect(await mode(config.exports.folder)).toBe('700');
  const logins = [config.database.ownerUrl, config.database.url, config.database.workerUrl].map((url) => new URL(url));
  expect(logins.map(({ username }) => username)).toEqual(['treasury_owner', 'treasury_api', 'treasury_jobs']);
  expect(new Set(logins.map(({ password }) => password)).size).toBe(3);
  for (const { host, pathname } of logins) expect(host + pathname).toBe('db.example:6543/treasury');
  for (const { password } of logins) expect(stdout).not.toContain(password);
});

test('init does not overwrite existing settings', async () => {
  const { run, settings } = await freshFolder();
  await run('init');
  const before = await settings();
  const { code, stderr } = await run('init');
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'There is a file .env already. Nothing was written.\n' });
  expect(await settings()).toBe(before);
});

test('init refuses a folder name that Node.js and a shell would read differently', async () => {
  const { folder, run } = await freshFolder();
  const { code, stderr } = await run('init', '--folder', "o'brien");
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('quotation mark') });
  expect(await readdir(folder)).toEqual([]);
});

test('init writes no settings if it cannot create the folder', async () => {
  const { folder, run } = await freshFolder();
  await writeFile(path.join(folder, 'taken'), '');
  expect((await run('init', '--folder', 'taken')).code).toBe(1);
  expect(await readdir(folder)).toEqual(['taken']);
});

test.each(['nowhere', '127.0.0.1:5432/', '127.0.0.1/Capital', 'me@127.0.0.1/bursar'])(
  'init refuses the database %s',
  async (database) => {
    const { code, stderr } = await (await freshFolder()).run('init', '--database', database);
    expect(code).toBe(1);
    expect(stderr).toContain('HOST:PORT/NAME');
  },
);

test('setup-sql prints SCRAM verifiers and no passwords', async () => {
  const { run, settings } = await freshFolder();
  await run('init');
  const { stdout } = await run('setup-sql');
  const { database } = readConfig(parseEnv(await settings()));
  for (const url of [database.ownerUrl, database.url, database.workerUrl]) {
    expect(stdout).toContain(`alter role "${new URL(url).username}" login password 'SCRAM-SHA-256$4096:`);
    expect(stdout).not.toContain(new URL(url).password);
  }
});

test('a single login gets both roles, and a login without a password sets none', () => {
  const url = 'postgres://bursar@127.0.0.1/bursar';
  const statements = setupStatements({ ownerUrl: url, url, workerUrl: url });
  expect(statements.filter((statement) => statement.startsWith('alter role'))).toEqual(['alter role "bursar" login']);
  expect(statements).toContain('grant bursar_app to "bursar"');
  expect(statements).toContain('grant bursar_worker to "bursar"');
});

test('a login name that could break out of the quoting is refused', () => {
  const url = 'postgres://a%24setup%24b@127.0.0.1/bursar';
  expect(() => setupStatements({ ownerUrl: url, url, workerUrl: url })).toThrow('DATABASE_OWNER_URL');
});

test('a database URL without a login is refused', () => {
  const url = 'postgres://127.0.0.1/bursar';
  expect(() => setupStatements({ ownerUrl: url, url, workerUrl: url })).toThrow('DATABASE_OWNER_URL names no login');
});

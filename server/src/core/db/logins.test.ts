import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { testVariables } from '#server/core/testing/config.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { openPooler } from '#server/core/testing/pooler.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { testServer } from '#server/core/testing/server.ts';
import { connect } from './db.ts';
import { refuseWideLogin } from './logins.ts';
import type { ProcessRole } from './roles.ts';

const db = await testDatabase();
const suffix = randomBytes(4).toString('hex');
const logins: string[] = [];
const run = (text: string) => sql.raw(text).execute(db.owner);
afterAll(async () => {
  for (const name of logins) await run(`drop owned by ${name}; drop role ${name}`);
  await db[Symbol.asyncDispose]();
});

/** Creates a login of its own for a process and returns the URL with which it connects. */
async function addLogin(name: string, role: ProcessRole, ...statements: string[]) {
  const login = `${name}_${suffix}`;
  await run(`create role ${login} login password 'a long enough phrase'`);
  logins.push(login);
  await run(`grant ${role} to ${login}`);
  for (const statement of statements) await run(statement.replaceAll('LOGIN', login));
  const url = new URL(db.url);
  url.username = login;
  url.password = 'a long enough phrase';
  return url.href;
}

async function check(url: string, role: ProcessRole) {
  const settings = { url, role, connections: 1, statementTimeoutMs: 5_000, onLostConnection: () => undefined };
  const { database } = connect(settings);
  onTestFinished(() => database.destroy());
  await refuseWideLogin(database, role);
}

const start = async (url: string) => {
  await using _server = await testServer(url, { BURSAR_DATABASE_LOGINS: 'narrow' });
};

test('a login with nothing but its role starts the API', async () => {
  await start(await addLogin('api', 'bursar_app'));
});

test.each<[string, string]>([
  ['is a superuser', 'alter role LOGIN superuser'],
  ['may create roles', 'alter role LOGIN createrole'],
  ['may create databases', 'alter role LOGIN createdb'],
  ['may read or replicate everything', 'alter role LOGIN replication'],
  ['may read or replicate everything', 'alter role LOGIN bypassrls'],
  ['owns tables', 'create table owned (); alter table owned owner to LOGIN; grant select on owned to LOGIN'],
  ['owns tables', 'create schema authorization LOGIN'],
  ['has rights on tables of its own', 'grant update on transfer to LOGIN'],
  ['has the roles bursar_worker too', 'grant bursar_worker to LOGIN'],
  ['has the roles pg_read_all_data too', 'grant pg_read_all_data to LOGIN'],
])('the API does not start with a login that %s: %s', async (excess, statement) => {
  const url = await addLogin(`wide${logins.length}`, 'bursar_app', statement);
  await expect(start(url)).rejects.toThrow(`wide${logins.length - 1}_${suffix} ${excess}, so whoever steals it`);
  await run('drop table if exists owned');
});

test('the worker has a role of its own', async () => {
  const url = await addLogin('jobs', 'bursar_worker');
  await check(url, 'bursar_worker');
  await expect(
    check(await addLogin('both', 'bursar_worker', 'grant bursar_app to LOGIN'), 'bursar_worker'),
  ).rejects.toThrow('has the roles bursar_app too');
});

test('a pooler that lends a wide login is noticed although the role is the intended one', async () => {
  await using pooler = await openPooler(db.url);
  pooler.dropsOptions = false;
  await expect(check(pooler.url, 'bursar_app')).rejects.toThrow('is a superuser');
});

test('a pooler that drops the role is noticed with a login that has only the rights of its role', async () => {
  await using pooler = await openPooler(await addLogin('pooled', 'bursar_app'));
  await expect(start(pooler.url)).rejects.toThrow(`has the role "pooled_${suffix}" instead of "bursar_app"`);
});

test('the worker logs why it does not start', async () => {
  const environment = testVariables(db.url, { LOG_LEVEL: 'info', BURSAR_DATABASE_LOGINS: 'narrow' });
  const { code, stdout } = await startProgram({ program: 'worker.ts', environment }).ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(/The login \S+ is a superuser, .*so whoever steals it could do more than bursar_worker/);
}, 90_000);

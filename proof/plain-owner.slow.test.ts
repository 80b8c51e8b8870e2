import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { connect } from '../server/src/core/db/db.ts';
import { assertSameVersion, migrate } from '../server/src/core/db/migrate.ts';
import { setupStatements } from '../server/src/core/db/setup-sql.ts';
import { installQueue } from '../server/src/core/queue/install.ts';
import { openCluster } from './processes/cluster.ts';

/*
 * Owners that are not superusers, on the embedded PostgreSQL. From version 16 on, creating a role does not allow
 * SET ROLE to it. Every test starts without the roles of Bursar, which all databases of a cluster share.
 */
const cluster = await openCluster();
afterAll(() => cluster.remove());

const settings = { connections: 1, statementTimeoutMs: 20_000, onLostConnection: () => undefined };

async function asSuperuser(...statements: string[]) {
  const client = new pg.Client({ connectionString: cluster.urlOf('postgres') });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function urlAs(login: string, database: string) {
  const url = new URL(cluster.urlOf(database));
  url.username = login;
  url.password = `phrase of ${login}`;
  return url.href;
}

/** Creates an empty database whose owner has these attributes; disposing drops both and all roles of ours. */
async function ownedDatabase(attributes: string) {
  await asSuperuser(
    `create role plain login ${attributes} password 'phrase of plain'`,
    'create database own owner plain',
  );
  return {
    url: urlAs('plain', 'own'),
    async [Symbol.asyncDispose]() {
      const groups = ['bursar_app', 'bursar_worker', 'bursar_auditor'].map((role) => `drop role if exists ${role}`);
      await asSuperuser('drop database own', ...groups, 'drop role plain');
    },
  };
}

async function starts(url: string, role: 'bursar_app' | 'bursar_worker') {
  const { database } = connect({ ...settings, url, role });
  try {
    await assertSameVersion(database);
  } finally {
    await database.destroy();
  }
}

test('an owner that may create roles migrates an empty cluster and works in both roles', async () => {
  await using own = await ownedDatabase('createrole');
  await migrate(own.url);
  await installQueue(own.url);
  await starts(own.url, 'bursar_app');
  await starts(own.url, 'bursar_worker');
}, 120_000);

test('an installation whose owner lost its roles gets them back with the next migration', async () => {
  await using own = await ownedDatabase('createrole');
  await migrate(own.url);
  await asSuperuser('revoke bursar_app, bursar_worker from plain granted by plain');
  await expect(starts(own.url, 'bursar_app')).rejects.toThrow('permission denied to set role "bursar_app"');
  expect(await migrate(own.url)).toEqual([]);
  await starts(own.url, 'bursar_app');
  await starts(own.url, 'bursar_worker');
}, 120_000);

test('a database with tables but without roles, as after a restore, gets its roles back', async () => {
  await using own = await ownedDatabase('createrole');
  await migrate(own.url);
  const inOwn = new pg.Client({ connectionString: cluster.urlOf('own') });
  await inOwn.connect();
  await inOwn.query('drop owned by bursar_auditor; drop role bursar_auditor');
  await inOwn.end();
  await migrate(own.url);
  await asSuperuser('set role bursar_auditor');
}, 120_000);

test('an owner that may not create roles gets instructions, and nothing changes', async () => {
  await using own = await ownedDatabase('');
  await expect(migrate(own.url)).rejects.toThrow(
    'The roles of the database are missing, and this login may not create them. Let an administrator of the database ' +
      'run what "npx bursar setup-sql" prints.',
  );
}, 120_000);

test('after the statements of setup-sql, three plain logins are enough, and each has only its own role', async () => {
  const urls = {
    ownerUrl: urlAs('three_owner', 'three'),
    url: urlAs('three_api', 'three'),
    workerUrl: urlAs('three_jobs', 'three'),
  };
  await asSuperuser(...setupStatements(urls));
  // All but the creation of the database can be repeated.
  await asSuperuser(...setupStatements(urls).slice(0, -1));
  await migrate(urls.ownerUrl);
  await installQueue(urls.ownerUrl);
  await starts(urls.url, 'bursar_app');
  await starts(urls.workerUrl, 'bursar_worker');
  await expect(starts(urls.url, 'bursar_worker')).rejects.toThrow('permission denied to set role "bursar_worker"');
  await expect(starts(urls.workerUrl, 'bursar_app')).rejects.toThrow('permission denied to set role "bursar_app"');
}, 120_000);

test('an administrator who is not a superuser can run the statements of setup-sql', async () => {
  await asSuperuser(`create role manager login createrole createdb password 'phrase of manager'`);
  // A superuser has created the roles for another database; with the admin option, the manager may grant them.
  await asSuperuser('grant bursar_app, bursar_worker to manager with admin option');
  const urls = {
    ownerUrl: urlAs('managed_owner', 'managed'),
    url: urlAs('managed_api', 'managed'),
    workerUrl: urlAs('managed_jobs', 'managed'),
  };
  const client = new pg.Client({ connectionString: urlAs('manager', 'postgres') });
  await client.connect();
  for (const statement of setupStatements(urls)) await client.query(statement);
  await client.end();
  await migrate(urls.ownerUrl);
  await starts(urls.url, 'bursar_app');
}, 120_000);

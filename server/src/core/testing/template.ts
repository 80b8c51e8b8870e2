import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '#server/core/db/migrate.ts';
import { installQueue } from '#server/core/queue/install.ts';

const template = 'bursar_template';
const demoTemplate = 'bursar_demo_template';

async function asOwner(url: string, statements: string[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function urlOf(serverUrl: string, name: string) {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Creates the migrated template once per test run; cloning it takes a fraction of the time. */
export async function prepareTemplate(serverUrl: string) {
  await asOwner(serverUrl, [`drop database if exists ${template} with (force)`, `create database ${template}`]);
  await migrate(urlOf(serverUrl, template));
  await installQueue(urlOf(serverUrl, template));
}

/** Creates the template with demo data once per test run. */
export async function prepareDemoTemplate(serverUrl: string, seed: (url: string) => Promise<unknown>) {
  await prepareTemplate(serverUrl);
  await asOwner(serverUrl, [
    `drop database if exists ${demoTemplate} with (force)`,
    `create database ${demoTemplate} template ${template}`,
  ]);
  await seed(urlOf(serverUrl, demoTemplate));
}

export const cloneDemoTemplate = (serverUrl: string) => createDatabase(serverUrl, demoTemplate);

export function cloneTemplate(serverUrl: string, prefix?: string) {
  return createDatabase(serverUrl, template, prefix);
}

/** Creates a database. Without a template it is empty, as for a new installation. */
export async function createDatabase(serverUrl: string, from = 'template0', prefix = 'bursar_test') {
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  await asOwner(serverUrl, [
    `create database ${name} template ${from}`,
    // The database is temporary, so commits do not have to wait for the disk.
    `alter database ${name} set synchronous_commit = off`,
  ]);
  const drop = () => asOwner(serverUrl, [`drop database if exists ${name} with (force)`]);
  return { url: urlOf(serverUrl, name), drop };
}

/**
 * Drops all databases whose names start with the prefix. Each drop waits for a checkpoint; drops that run at the same
 * time wait for the same one.
 */
export async function dropDatabases(serverUrl: string, prefix: string) {
  const pool = new pg.Pool({ connectionString: serverUrl, max: 8 });
  try {
    const found = await pool.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    await Promise.all(found.rows.map(({ name }) => pool.query(`drop database if exists ${name} with (force)`)));
  } finally {
    await pool.end();
  }
}

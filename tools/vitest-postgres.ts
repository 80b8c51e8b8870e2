import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
// Both declare the types of the values provided below.
import type {} from '../server/src/core/testing/database.ts';
import type {} from '../server/src/core/testing/property-runs.ts';
import { dropDatabases, prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from './postgres.ts';

/** Starts one PostgreSQL for the whole run; every test file clones the template that is created here. */
export default async function setup(project: TestProject) {
  const postgres = await startPostgres();
  try {
    await prepareTemplate(postgres.url);
  } catch (reason) {
    await postgres.stop();
    throw reason;
  }
  const databasePrefix = `bursar_test_${randomBytes(3).toString('hex')}`;
  project.provide('postgresUrl', postgres.url);
  project.provide('databasePrefix', databasePrefix);
  project.provide('thorough', process.env['BURSAR_THOROUGH'] === '1');
  return async () => {
    // A PostgreSQL that we started is deleted with its databases.
    if (process.env['DATABASE_URL']) await dropDatabases(postgres.url, databasePrefix);
    await postgres.stop();
  };
}

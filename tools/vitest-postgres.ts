import type { TestProject } from 'vitest/node';
// Declares what is provided below.
import type {} from '../server/src/testing/database.ts';
import { prepareTemplate } from '../server/src/testing/template.ts';
import { startPostgres } from './postgres.ts';

/** One PostgreSQL for the whole run; every test file clones the template that is made here. */
export default async function setup(project: TestProject) {
  const postgres = await startPostgres();
  try {
    await prepareTemplate(postgres.url);
  } catch (reason) {
    await postgres.stop();
    throw reason;
  }
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}

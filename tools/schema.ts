import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { migrate } from '../server/src/core/db/migrate.ts';
import { createDatabase } from '../server/src/core/testing/template.ts';
import { startPostgres } from './postgres.ts';

const outFile = 'server/src/core/db/schema.gen.ts';
const flags = [
  ['--dialect', 'postgres'],
  ['--include-pattern', 'public.*'],
  ['--exclude-pattern', 'public.{kysely_*,transfer_2*,transfer_earlier,activity_event_2*}'],
  ['--type-mapping', '{"int8":"bigint"}'],
  ['--out-file', outFile],
].flat();

/** Generates the types of the tables from the migrations; with --verify only checks that they are up to date. */
const postgres = await startPostgres();
const { url, drop } = await createDatabase(postgres.url);
try {
  await migrate(url);
  await promisify(execFile)('kysely-codegen', ['--url', url, '--camel-case', ...flags, ...process.argv.slice(2)]);
  console.log(`${outFile} is what the migrations make.`);
} catch (error) {
  console.error(error instanceof Error && 'stderr' in error ? error.stderr : error);
  process.exitCode = 1;
} finally {
  await drop();
  await postgres.stop();
}

import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Database } from '#server/core/db/db.ts';
import { ensureRoles } from '#server/core/db/roles.ts';

const folder = new URL('../../../migrations/', import.meta.url);

/** Creates the tables of the version before a migration, in an empty database. */
export async function migrateBefore(owner: Database, last: string) {
  const run = (text: string) => sql.raw(text).execute(owner);
  await ensureRoles(owner);
  await run('create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql') && name < last).sort();
  for (const name of names) {
    await run(await readFile(new URL(name, folder), 'utf8'));
    await run(`insert into kysely_migration values ('${name}', '2026-01-01T00:00:00.000Z')`);
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished } from 'vitest';
import { makeReport } from '#server/features/referrals/check.ts';
import { importFolder } from '#server/setup/import.ts';
import type { TestDatabase } from './database.ts';
import { platformRows, type PlatformRow, writePlatform } from './platform.ts';

/** How many users `platformRows` has here. */
export const importedUsers = 300;

export type Parts = { [part: string]: PlatformRow[] };

export const rowsOf = (count = importedUsers): Parts =>
  Object.fromEntries(Object.entries(platformRows(count)).map(([part, rows]) => [part, [...rows]]));

/** Writes a platform to a new folder, after `change` has changed its rows. The folder is removed after the test. */
export async function platform(change: (parts: Parts) => void = () => undefined, format: 'csv' | 'ndjson' = 'csv') {
  const parts = rowsOf();
  change(parts);
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-import-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writePlatform(folder, parts, format);
  return folder;
}

type Choices = { dryRun?: boolean; usersAtOnce?: number };

export function importInto(db: TestDatabase, folder: string, { dryRun = false, usersAtOnce }: Choices = {}) {
  const lines: string[] = [];
  const deps = {
    database: db.owner,
    pool: db.ownerPool,
    secretsKey: db.config.secretsKey,
    ...(usersAtOnce && { usersAtOnce }),
  };
  const outcome = importFolder({ ...deps, print: (line) => lines.push(line) }, { folder, dryRun });
  return outcome.then((done) => ({ outcome: done, lines }));
}

export async function query(db: TestDatabase, text: string) {
  return (await sql.raw<Record<string, unknown>>(text).execute(db.owner)).rows;
}

const contents = ['platform_user', 'stake', 'withdrawal', 'ticket', 'deposit', 'transfer', 'team', 'user_total'];

/** What the tables hold, apart from times and numbers of the moment. */
export async function contentOf(db: TestDatabase) {
  const found: Record<string, unknown> = {};
  for (const table of contents) {
    const volatile = `'recorded_at', 'at', 'plan_id', 'updated_at'`;
    const rows = table === 'transfer' ? `'id', ${volatile}` : volatile;
    found[table] = await query(
      db,
      `select (to_jsonb(it) - array[${rows}])::text as row from ${table} as it order by 1`,
    );
  }
  return found;
}

export const countAll = (db: TestDatabase) =>
  query(
    db,
    contents.map((table) => `select '${table}' as name, count(*)::int as rows from ${table}`).join(' union all '),
  );

/** Compares the tree, wallets and team figures as the report of the referral check does. */
export async function expectTree(db: TestDatabase) {
  const [admin] = await query(db, `insert into admin (username, role) values ('checker', 'SuperAdmin') returning id`);
  const [report] = await query(
    db,
    `insert into referral_report (requested_by) values ('${String(admin?.['id'])}') returning id`,
  );
  await makeReport({ database: db.worker }, String(report?.['id']), new AbortController().signal);
  const found = 'select state, users::int, wrong_users::int as wrong, found from referral_report';
  const [made] = await query(db, found);
  expect(made).toMatchObject({ state: 'done', users: importedUsers, wrong: 0 });
  // The blacklisted sponsors are as they were on the platform.
  const { 'blacklisted-sponsor': _kept, ...wrong } = (made?.['found'] ?? {}) as Record<string, number>;
  expect(Object.values(wrong).filter((count) => count !== 0)).toEqual([]);
}

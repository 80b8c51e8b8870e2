import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testVariables } from '#server/core/testing/config.ts';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { contentOf, expectTree, importInto, platform, query } from '#server/core/testing/imports.ts';
import { runCommand, startProgram } from '#server/core/testing/process.ts';
import { verifyBooks } from '../verify.ts';

/** Starts the command, lets it wait for a table that is locked here, and kills it there. */
async function killAt(db: TestDatabase, { folder, table }: { folder: string; table: string }) {
  await db.owner.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in share mode`.execute(tx);
    const program = startProgram({ program: 'cli.ts', args: ['import', folder], environment: testVariables(db.url) });
    const waiting = sql<{ count: bigint }>`
      select count(*) from pg_locks where not granted and relation = ${table}::regclass`;
    await expect.poll(async () => (await waiting.execute(db.worker)).rows[0]?.count, { timeout: 30_000 }).toBe(1n);
    await program.kill();
    const killed = sql`
      select pg_terminate_backend(pid) from pg_locks where not granted and relation = ${table}::regclass`;
    await killed.execute(db.owner);
  });
}

test.each(['platform_user', 'withdrawal', 'team', 'ticket'])(
  'an import that is killed while it writes %s goes on where it was, and ends as if nothing had happened',
  async (table) => {
    await using db = await testDatabase();
    await using undisturbed = await testDatabase();
    const folder = await platform();
    await importInto(undisturbed, folder);
    await killAt(db, { folder, table });
    expect(await verifyBooks(db.database)).toMatchObject({ differences: [] });
    const done = await runCommand(db.url, ['import', folder]);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain('Going on with the import that started at');
    expect(await contentOf(db)).toEqual(await contentOf(undisturbed));
    expect(await verifyBooks(db.database)).toMatchObject({ differences: [] });
    await expectTree(db);
  },
);

test('an interrupted import goes on with its own files only, also when the database lost the staged rows', async () => {
  await using db = await testDatabase();
  const folder = await platform();
  await killAt(db, { folder, table: 'ticket' });
  await expect(importInto(db, await platform((parts) => parts['tickets']?.pop()))).rejects.toThrow(
    'An import is not finished, and these are not its files.',
  );
  await expect(importInto(db, folder, { dryRun: true })).rejects.toThrow('An import is not finished.');
  for (const table of ['import_user', 'import_stake', 'import_ticket']) await query(db, `truncate ${table}`);
  expect((await importInto(db, folder)).outcome).toBe('imported');
  expect(await query(db, 'select count(*)::int as tickets from ticket')).toEqual([{ tickets: 30 }]);
});

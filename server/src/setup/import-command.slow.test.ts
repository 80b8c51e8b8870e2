import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { platform } from '#server/core/testing/imports.ts';
import { runCommand } from '#server/core/testing/process.ts';

test('the command checks, imports, and fails when there are problems', async () => {
  await using db = await testDatabase();
  const folder = await platform();
  expect(await runCommand(db.url, ['import', '--dry-run', folder])).toMatchObject({ code: 0, stderr: '' });
  const wrong = await platform((parts) => Object.assign(parts['users']?.[0] ?? {}, { sponsor: 'nobody' }));
  const failed = await runCommand(db.url, ['import', wrong]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('SponsorUnknown "nobody". No user has the user ID of this sponsor.');
  expect((await runCommand(db.url, ['import'])).stderr).toContain('bursar import [--dry-run] FOLDER');
  expect((await runCommand(db.url, ['import', '/nowhere'])).stderr).toContain('neither users.csv nor users.ndjson');
  expect(await runCommand(db.url, ['import', folder])).toMatchObject({ code: 0, stderr: '' });
  expect(await runCommand(db.url, ['ledger', 'verify', '--full'])).toMatchObject({ code: 0, stderr: '' });
});

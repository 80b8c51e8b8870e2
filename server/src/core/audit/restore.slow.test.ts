import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { findUnsigned } from '#server/core/approvals/unsigned.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { recordAudit } from './audit.ts';
import { publishHead } from './head.ts';
import { verifyEverything } from './verification.ts';

const db = await testDatabase();
const folder = await mkdtemp(path.join(tmpdir(), 'bursar-heads-'));
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
for (const username of ['root', 'rita']) {
  await addAdmin(db.database, { username, role: 'SuperAdmin', realHash: true });
}
await addAdmin(db.database, { username: 'ann', realHash: true });

const heads = { ...db.config.audit, headFile: path.join(folder, 'heads.jsonl') };
const changes = { BURSAR_AUDIT_HEAD_FILE: heads.headFile };
const write = async (rows: number) => {
  for (let row = 0; row < rows; row += 1)
    await db.database.transaction().execute((tx) => recordAudit(tx, { actorId: null, action: 'tickets.create' }));
};
const codes = async () =>
  (await verifyEverything(db.database, { heads, verifyDecisions: findUnsigned })).findings.map(({ code }) => code);
const sign = (second: string, input = `${testPassword}\n${testPassword}\n`) =>
  runCommand(db.url, ['audit', 'sign-restore', '--username', 'root', '--second', second], { input, changes });
/** Loses the rows of the last minutes, as a restored backup does. */
const loseFrom = (seq: number) =>
  db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`delete from audit_entry where seq >= ${seq}`.execute(tx);
  });

test('a restore that two Super Admins sign is accepted and said, and later tampering is still found', async () => {
  await write(5);
  await publishHead(db.worker, heads);
  expect((await sign('rita')).stderr).toBe('No published row is missing: there is nothing to sign.\n');
  await write(5);
  await publishHead(db.worker, heads);
  await loseFrom(8);
  expect(await codes()).toEqual(['head-cut']);

  expect((await sign('rita')).stdout).toBe('Signed by root and rita: rows from 10 on were lost in a restore.\n');
  const verified = await runCommand(db.url, ['audit', 'verify'], { changes });
  expect(verified).toMatchObject({ code: 0, stderr: '' });
  expect(verified.stdout).toMatch(
    /^Restored from a backup on \S+: rows from 10 on were lost\. Signed by root and rita\.\nThe audit log is sound: 9 rows/,
  );
  await write(4);
  await publishHead(db.worker, heads);
  expect(await codes()).toEqual([]);
  await loseFrom(12);
  expect(await codes()).toEqual(['head-cut']);
});

test.each([
  ['root', undefined, 'Two different Super Admins must sign.\n'],
  ['ann', undefined, 'ann is not a Super Admin with a password of their own. Nothing was signed.\n'],
  ['rita', `${testPassword}\nanother phrase\n`, 'The username or password of rita is not right. Nothing was signed.\n'],
  ['nobody', undefined, 'The username or password of nobody is not right. Nothing was signed.\n'],
  ['rita', '', 'The username or password of root is not right. Nothing was signed.\n'],
])('%s cannot be the second to sign with the input %j', async (second, input, stderr) => {
  expect(await sign(second, input)).toMatchObject({ code: 1, stderr });
  expect(await codes()).toEqual(['head-cut']);
});

test('a restore whose audit rows are replaced is named', async () => {
  expect((await sign('rita')).code).toBe(0);
  expect(await codes()).toEqual([]);
  await db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update audit_entry set actor_id = null where action = 'audit.sign-restore'`.execute(tx);
  });
  expect(await codes()).toEqual(expect.arrayContaining(['row-altered', 'restore-unrecorded']));
});

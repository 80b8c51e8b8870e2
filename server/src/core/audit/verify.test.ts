import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Tx } from '#server/core/db/db.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { recordAudit, verifyAudit } from './audit.ts';
import { publishHead, verifyHeads } from './head.ts';

const db = await testDatabase();
const folder = await mkdtemp(path.join(tmpdir(), 'bursar-heads-'));
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const rowsAtFirst = 12n;
const heads = { ...db.config.audit, headFile: '' };

/** Changes the log as someone could who has the database but not the keys. */
const tamper = (work: (tx: Tx) => Promise<unknown>) =>
  db.owner.transaction().execute(async (tx) => {
    await sql`alter table audit_entry disable trigger all`.execute(tx);
    await work(tx);
    await sql`alter table audit_entry enable trigger all`.execute(tx);
  });

beforeEach(async () => {
  heads.headFile = path.join(folder, `${randomBytes(4).toString('hex')}.jsonl`);
  await tamper((tx) => sql`delete from audit_entry`.execute(tx));
  for (let index = 0n; index < rowsAtFirst; index += 1n) {
    const act = {
      actorId: null,
      action: 'tickets.create',
      subjectId: `ticket ${index}`,
      details: { index: Number(index) },
    } as const;
    await db.database.transaction().execute((tx) => recordAudit(tx, act));
  }
});

test('an untouched log is sound', async () => {
  expect(await verifyAudit(db.database)).toEqual({ sound: true, rows: rowsAtFirst });
  await publishHead(db.worker, heads);
  expect(await verifyHeads(db.database, heads)).toMatchObject({ sound: true, rows: rowsAtFirst });
});

test('an empty log is sound and has no head', async () => {
  await tamper((tx) => sql`delete from audit_entry`.execute(tx));
  expect(await verifyAudit(db.database)).toEqual({ sound: true, rows: 0n });
  await publishHead(db.worker, heads);
  expect(await verifyHeads(db.database, heads)).toMatchObject({ sound: true, rows: 0n });
});

const edits: [string, string, { badSeq: bigint; why: string }][] = [
  ['edited details', `update audit_entry set details = '{"index":99}' where seq = 5`, { badSeq: 5n, why: 'altered' }],
  ['one more space', `update audit_entry set details = details || ' ' where seq = 5`, { badSeq: 5n, why: 'altered' }],
  ['another action', `update audit_entry set action = 'tickets.reply' where seq = 1`, { badSeq: 1n, why: 'altered' }],
  ['another subject', `update audit_entry set subject_id = null where seq = 7`, { badSeq: 7n, why: 'altered' }],
  [
    'another time',
    `update audit_entry set at = at - interval '1 second' where seq = 12`,
    { badSeq: 12n, why: 'altered' },
  ],
  ['another seal', `update audit_entry set seal = sha256('x') where seq = 3`, { badSeq: 3n, why: 'altered' }],
  ['a shorter seal', `update audit_entry set seal = '\\x00' where seq = 3`, { badSeq: 3n, why: 'altered' }],
  ['a deleted row', 'delete from audit_entry where seq = 6', { badSeq: 6n, why: 'missing' }],
  ['a deleted first row', 'delete from audit_entry where seq = 1', { badSeq: 1n, why: 'missing' }],
  [
    'a deleted row with the gap closed',
    'delete from audit_entry where seq = 6; update audit_entry set seq = -(seq - 1) where seq > 6; update audit_entry set seq = -seq where seq < 0',
    { badSeq: 6n, why: 'altered' },
  ],
  [
    'two swapped rows',
    'update audit_entry set seq = -seq where seq in (4, 8); update audit_entry set seq = 12 + seq where seq < 0',
    { badSeq: 4n, why: 'altered' },
  ],
];

test.each(edits)('%s is detected at the right row', async (_what, statements, verdict) => {
  await tamper((tx) => sql.raw(statements).execute(tx));
  expect(await verifyAudit(db.database)).toEqual({ sound: false, ...verdict });
});

test('deleting the last rows is detected by the published head', async () => {
  await publishHead(db.worker, heads);
  await tamper((tx) => sql`delete from audit_entry where seq > 10`.execute(tx));
  expect(await verifyAudit(db.database)).toEqual({ sound: true, rows: 10n });
  expect(await verifyHeads(db.database, heads)).toMatchObject({ sound: false, badSeq: 12n, why: 'cut' });
});

test('rewriting the last rows with the real key is detected by the published head', async () => {
  await publishHead(db.worker, heads);
  await tamper((tx) => sql`delete from audit_entry where seq > 10`.execute(tx));
  for (let index = 0; index < 4; index += 1) {
    await db.database.transaction().execute((tx) => recordAudit(tx, { actorId: null, action: 'tickets.create' }));
  }
  expect(await verifyAudit(db.database)).toEqual({ sound: true, rows: 14n });
  expect(await verifyHeads(db.database, heads)).toMatchObject({ sound: false, badSeq: 12n, why: 'altered' });
});

test('a row from another history is detected, although the real key sealed it', async () => {
  const [old] = await db.owner.selectFrom('auditEntry').selectAll().where('seq', '=', 12n).execute();
  await tamper((tx) => sql`delete from audit_entry where seq > 10`.execute(tx));
  for (let index = 0; index < 2; index += 1) {
    await db.database.transaction().execute((tx) => recordAudit(tx, { actorId: null, action: 'tickets.reply' }));
  }
  expect(await verifyAudit(db.database)).toEqual({ sound: true, rows: 12n });
  await tamper(async (tx) => {
    await sql`delete from audit_entry where seq = 12`.execute(tx);
    if (old) await tx.insertInto('auditEntry').values(old).execute();
  });
  expect(await verifyAudit(db.database)).toEqual({ sound: false, badSeq: 12n, why: 'altered' });
});

test('a log that was sealed again with another key is detected at its first row', async () => {
  const foreign = randomBytes(32);
  const rows = await db.owner.selectFrom('auditEntry').selectAll().orderBy('seq').execute();
  let previous: Buffer = Buffer.alloc(32);
  await tamper(async (tx) => {
    for (const { seq, at, actorId, action, subjectId, details } of rows) {
      const covered = JSON.stringify([String(seq), at.toISOString(), actorId, action, subjectId, details]);
      previous = createHmac('sha256', foreign).update(previous).update(covered).digest();
      await sql`update audit_entry set seal = ${previous} where seq = ${seq}`.execute(tx);
    }
  });
  expect(await verifyAudit(db.database)).toEqual({ sound: false, badSeq: 1n, why: 'altered' });
});

test('a head with an invalid signature is rejected', async () => {
  await publishHead(db.worker, { ...heads, signingKey: generateKeyPairSync('ed25519').privateKey });
  await expect(verifyHeads(db.database, heads)).rejects.toThrow('never signed');
  await writeFile(heads.headFile, '');
  await publishHead(db.worker, heads);
  const line = await readFile(heads.headFile, 'utf8');
  await appendFile(heads.headFile, line.replace('"seq":"12"', '"seq":"11"'));
  await expect(verifyHeads(db.database, heads)).rejects.toThrow('never signed');
});

test('a log without a published head is not sound, and an incomplete line is reported', async () => {
  await writeFile(heads.headFile, '');
  expect(await verifyHeads(db.database, heads)).toMatchObject({ sound: false, badSeq: rowsAtFirst });
  await publishHead(db.worker, heads);
  await appendFile(heads.headFile, '{"seq":"1');
  await expect(verifyHeads(db.database, heads)).rejects.toThrow('Line 2 of');
});

test('every kind of tampering is detected at every row', async () => {
  await publishHead(db.worker, heads);
  const original = await db.owner.selectFrom('auditEntry').selectAll().orderBy('seq').execute();
  const kinds = [
    (seq: number) => `update audit_entry set details = '{"forged":true}' where seq = ${seq}`,
    (seq: number) => `delete from audit_entry where seq = ${seq}`,
    (seq: number) => `delete from audit_entry where seq >= ${seq}`,
  ];
  for (let seq = 1; seq <= Number(rowsAtFirst); seq += 1) {
    for (const kind of kinds) {
      await tamper((tx) => sql.raw(kind(seq)).execute(tx));
      const found = [await verifyAudit(db.database), await verifyHeads(db.database, heads)].filter(
        ({ sound }) => !sound,
      );
      expect(found.length, kind(seq)).toBeGreaterThan(0);
      await tamper(async (tx) => {
        await sql`delete from audit_entry`.execute(tx);
        await tx.insertInto('auditEntry').values(original).execute();
      });
    }
  }
});

test('the command reports a sound log, or fails and names the bad row', async () => {
  await publishHead(db.worker, heads);
  const changes = { BURSAR_AUDIT_HEAD_FILE: heads.headFile };
  const sound = await runCommand(db.url, ['audit', 'verify'], { changes });
  expect(sound).toMatchObject({ code: 0, stdout: 'The audit log is sound: 12 rows, published heads up to row 12.\n' });

  await tamper((tx) => sql`delete from audit_entry where seq = 9`.execute(tx));
  const broken = await runCommand(db.url, ['audit', 'verify'], { changes });
  expect(broken).toMatchObject({ code: 1, stderr: 'The audit log is not sound: row 9 is missing.\n' });
});

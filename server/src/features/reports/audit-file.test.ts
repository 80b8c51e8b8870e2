import { readFile, rm } from 'node:fs/promises';
import type { ReportExport } from 'contract/reports.ts';
import { afterAll, expect, test } from 'vitest';
import { recordAudit } from '#server/core/audit/audit.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { buildExport } from './build.ts';
import { finishedFile } from './folder.ts';

const { db, server } = await testEnvironment();
const { folder } = db.config.exports;
afterAll(() => rm(folder, { recursive: true, force: true }));
const { id } = await addAdmin(db.database, { username: 'ida', permissionSet: 'Auditor' });
await addAdmin(db.database, { username: 'ann' });
const [ida, ann] = [await server.signIn('ida'), await server.signIn('ann')];

const start = (token: string, body: object) => server.call('POST', '/api/reports/exports', { token, body });

test('an auditor exports the rows that the list shows, with formulas made harmless', async () => {
  const act = { actorId: id, action: 'users.change', subjectId: '=cmd', details: { a: '"b"' } } as const;
  await db.database.transaction().execute((tx) => recordAudit(tx, act));
  await db.database.transaction().execute((tx) => recordAudit(tx, { actorId: null, action: 'runs.archive' }));
  const { json, status } = await start(ida, {
    tab: 'audit',
    filter: { audit: { caller: id, action: 'users.change' } },
  });
  expect(status, JSON.stringify(json)).toBe(200);
  const { id: one, rowsTotal } = json['export'] as ReportExport;
  expect(rowsTotal).toBe(1);
  await buildExport({ database: db.worker, pool: db.pool, folder }, one, new AbortController().signal);
  const [head, line, ...rest] = (await readFile(finishedFile(folder, one), 'utf8')).split('\r\n');
  expect(head).toBe('\uFEFFRow,At,By,Action,Item,Details');
  expect(line).toMatch(/^\d+,\d{4}-\d\d-\d\dT[\d:.]+Z,"ida","users\.change","'=cmd","\{""a"":""\\""b\\""""\}"$/);
  expect(rest).toEqual(['']);
});

test('only those who may read the audit log export it, and only with a filter of the audit log', async () => {
  expect((await start(ann, { tab: 'audit', filter: { audit: {} } })).status).toBe(403);
  expect((await start(ida, { tab: 'audit', filter: {} })).status).toBe(400);
  expect((await start(ida, { tab: 'task', filter: { audit: {} } })).status).toBe(400);
});

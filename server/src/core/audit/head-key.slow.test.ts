import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testVariables } from '#server/core/testing/config.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { recordAudit } from './audit.ts';
import { publishHead } from './head.ts';

test('neither a worker nor the API starts without its part of the key', async () => {
  await using db = await testDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-heads-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const heads = { ...db.config.audit, headFile: path.join(folder, 'heads.jsonl') };
  await db.database.transaction().execute((tx) => recordAudit(tx, { actorId: null, action: 'tickets.create' }));
  const { BURSAR_AUDIT_SIGNING_KEY: _signing, ...rest } = testVariables(db.url);
  const verifying = heads.verifyingKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const ofApi = { ...rest, BURSAR_AUDIT_VERIFYING_KEY: verifying };
  const worker = await startProgram({ program: 'worker.ts', environment: ofApi }).ended;
  expect(worker.stderr).toContain('BURSAR_AUDIT_SIGNING_KEY: is required for the worker');
  const api = await startProgram({ program: 'main.ts', environment: rest }).ended;
  expect(api.stderr).toContain('BURSAR_AUDIT_VERIFYING_KEY: is required');
  await publishHead(db.worker, heads);
  const environment = { ...ofApi, BURSAR_AUDIT_HEAD_FILE: heads.headFile };
  const verified = await startProgram({ program: 'cli.ts', args: ['audit', 'verify'], environment }).ended;
  expect(verified).toMatchObject({ code: 0, stderr: '' });
}, 60_000);

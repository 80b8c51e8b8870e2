import { readFile, rm } from 'node:fs/promises';
import type { ReportExport } from 'contract/reports.ts';
import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, steeringOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { buildExport } from './build.ts';
import { finishedFile } from './folder.ts';

const { db, server } = await testEnvironment();
const runs = runsOf(db);
const { folder } = db.config.exports;
afterAll(() => rm(folder, { recursive: true, force: true }));
await addAdmin(db.database, { username: 'ann' });
const ann = await server.signIn('ann');
await fillTreasury(db.owner, 'USD', 10n ** 12n);

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const start = (tab: string, filter: object) =>
  server.call('POST', '/api/reports/exports', { token: ann, body: { tab, filter } });

async function fileOf(run: string) {
  const { json, status } = await start('run', { run });
  expect(status).toBe(200);
  const { id, rowsTotal } = json['export'] as ReportExport;
  expect(rowsTotal).toBe(2);
  await buildExport({ database: db.worker, pool: db.pool, folder }, id, new AbortController().signal);
  return (await readFile(finishedFile(folder, id), 'utf8')).split('\r\n');
}

test('the file of a run has the input and the result of each line, and why it was skipped', async () => {
  const ranked = await addUser(db.owner, { username: '=cmd', rank: 'Gold' });
  const ineligible = await addUser(db.owner, { blacklistedAt: new Date('2026-01-01'), blacklistReason: 'Fraud' });
  const stakes = [];
  for (const { id: userId } of [ranked, ineligible]) {
    stakes.push(await addStake(db.owner, { userId, units: 1_000_000_000n, placedOn: daysAgo(3) }));
  }
  const { id: left } = await runs.create('stake-payout', new Date());
  await runs.plan(left);
  expect((await fileOf(left))[1]).toMatch(/,planned$/);
  await steeringOf(db).steer(left, 'cancel');
  expect((await fileOf(left))[1]).toMatch(/,not paid$/);

  const { id: run } = await runs.create('stake-payout', new Date());
  await runs.plan(run);
  await runs.start(run);
  await runs.pay(run);
  expect(await fileOf(run)).toEqual([
    '\uFEFFUser,Cause,Input,Daily rate (percent),Amount,Bonus,Set aside,Loyalty released,Outcome',
    `"'=cmd",${stakes[0]},1000.00,0.1,0.50,0.20,0.30,0.00,paid`,
    `"${ineligible.username}",${stakes[1]},1000.00,0.1,0.00,0.00,0.00,0.00,skipped: blacklisted`,
    '',
  ]);
});

test('an export of a run needs an existing run, and an export of a report accepts none', async () => {
  const unknown = '019c0000-0000-7000-8000-000000000009';
  expect((await start('run', { run: unknown })).json).toMatchObject({ code: 'RunNotFound', status: 404 });
  expect((await start('run', {})).status).toBe(400);
  expect((await start('task', { run: unknown })).status).toBe(400);
});

import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, expect, test } from 'vitest';
import { connect } from '#server/core/db/db.ts';
import { openLog } from '#server/core/log.ts';
import { openTasks, ShuttingDown } from '#server/core/queue/queue.ts';
import { testVariables } from '#server/core/testing/config.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { addUsers, addWithdrawals, slowDown } from '#server/core/testing/reports.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { eventually, openStream } from '#server/core/testing/stream.ts';
import { buildExport } from './build.ts';
import { exportTask } from './tasks.ts';
import { reportJobs } from './jobs.ts';

const { db, server } = await testEnvironment();
const { folder } = db.config.exports;
const admin = await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
const users = await addUsers(db.owner, ['mira.k']);
await addWithdrawals(db.owner, { users, count: 3_000, at: '2026-03-01' });
const rows = 2_000;

const worker = connect({
  url: db.url,
  role: 'bursar_worker',
  connections: 3,
  statementTimeoutMs: 60_000,
  onLostConnection: () => undefined,
});
const tasks = await openTasks({ url: db.url, role: 'bursar_worker', log: openLog('silent') }, [exportTask]);
const jobs = reportJobs({ exports: { folder }, enqueue: tasks.enqueue });
afterAll(async () => {
  await tasks.stop();
  await worker.database.destroy();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => slowDown(db.owner, 1_000_000));

const sweep = async () => {
  for (const { run } of jobs) await run(worker.database);
};

async function addWaiting(changes: { failures?: number } = {}) {
  const { id } = await db.owner.transaction().execute((tx) =>
    tx
      .insertInto('reportExport')
      .values({ tab: 'withdrawal', filter: '{}', requestedBy: admin.id, ...changes })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return id;
}

const known = (id: string) =>
  db.owner.selectFrom('reportExport').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const stateOf = async (id: string) => (await known(id)).state;
const filesOf = (id: string) => (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith(id));
const build = (id: string, signal = new AbortController().signal) =>
  buildExport({ database: worker.database, pool: worker.pool, folder }, id, signal);

/** Waits until the export is running and has written some rows. */
const untilHalfWay = (id: string) =>
  eventually(async () => {
    const { state, rowsDone } = await known(id);
    return state === 'running' && rowsDone > 0n;
  }, 15_000);

const forget = (id: string) =>
  sql`update report_export set touched_at = now() - interval '1 minute' where id = ${id}`.execute(db.owner);

test('progress is stored and announced while a file is written', async () => {
  await slowDown(db.owner, 1_500);
  const stream = await openStream(server.address, { authorization: `Bearer ${token}` });
  const id = await addWaiting();
  const building = build(id);
  await untilHalfWay(id);
  await stream.heard({ feature: 'reports', id });
  const before = await known(id);
  await eventually(async () => (await known(id)).rowsDone > before.rowsDone);
  expect(before.bytes).toBeGreaterThan(0n);
  expect(before.rowsDone).toBeLessThan(BigInt(rows));
  expect(filesOf(id)).toEqual([`${id}.1.part`]);
  await building;
  const { state, rowsDone, bytes } = await known(id);
  expect({ state, rowsDone, bytes }).toEqual({
    state: 'done',
    rowsDone: BigInt(rows),
    bytes: BigInt(statSync(`${folder}/${id}.csv`).size),
  });
  expect(filesOf(id)).toEqual([`${id}.csv`]);
  await stream.close();
});

test('an export canceled while it is built stops promptly and leaves no file', async () => {
  await slowDown(db.owner, 500);
  const id = await addWaiting();
  const building = build(id);
  await untilHalfWay(id);
  expect((await server.call('POST', `/api/reports/exports/${id}/cancel`, { token })).status).toBe(200);
  const cancelled = performance.now();
  await building;
  expect(performance.now() - cancelled).toBeLessThan(1_500);
  expect(await stateOf(id)).toBe('cancelled');
  expect(filesOf(id)).toEqual([]);
  // The statement ends with its connection instead of running on without a reader.
  await eventually(async () => {
    const { rows: busy } = await sql`select from pg_stat_activity
      where datname = current_database() and query like 'copy%' and state = 'active'`.execute(db.owner);
    return busy.length === 0;
  });
});

async function stopHalfWay(id: string, reason: Error) {
  const stopping = new AbortController();
  const building = build(id, stopping.signal);
  await untilHalfWay(id);
  stopping.abort(reason);
  await expect(building).rejects.toThrow('aborted');
}

test('a worker that shuts down puts its export back without counting a failure, however often', async () => {
  await slowDown(db.owner, 500);
  const id = await addWaiting();
  for (const attempt of [1, 2, 3, 4]) {
    await stopHalfWay(id, new ShuttingDown());
    expect(await known(id)).toMatchObject({ state: 'waiting', attempt, failures: 0 });
    expect(filesOf(id)).toEqual([]);
  }
  await slowDown(db.owner, 1_000_000);
  await build(id);
  expect(await stateOf(id)).toBe('done');
});

test('an attempt that the queue aborts counts as a failure', async () => {
  await slowDown(db.owner, 500);
  const id = await addWaiting();
  await stopHalfWay(id, new Error('It took too long.'));
  expect(await known(id)).toMatchObject({ state: 'waiting', failures: 1 });
  await slowDown(db.owner, 1_000_000);
  await build(id);
  expect(await stateOf(id)).toBe('done');
});

test('an export whose task was lost is enqueued again without counting a failure', async () => {
  const id = await addWaiting({ failures: 2 });
  await sql`update report_export set touched_at = now() - interval '6 minutes' where id = ${id}`.execute(db.owner);
  await sweep();
  expect(await known(id)).toMatchObject({ state: 'waiting', failures: 2 });
  const { rows: enqueued } = await sql`select from pgboss.job where data ->> 'id' = ${id}`.execute(db.owner);
  expect(enqueued).toHaveLength(1);
  await build(id);
  expect(await stateOf(id)).toBe('done');
});

test('two concurrent builds of the same export build it once', async () => {
  const id = await addWaiting();
  await Promise.all([build(id), build(id)]);
  const { state, attempt } = await known(id);
  expect({ state, attempt }).toEqual({ state: 'done', attempt: 1 });
});

test('an abandoned attempt cannot change what a later one has built', async () => {
  await slowDown(db.owner, 700);
  const id = await addWaiting();
  const late = build(id);
  await untilHalfWay(id);
  await forget(id);
  await sweep();
  await slowDown(db.owner, 1_000_000);
  await build(id);
  expect(await stateOf(id)).toBe('done');
  const file = await readFile(`${folder}/${id}.csv`);
  await late;
  expect(await readFile(`${folder}/${id}.csv`)).toEqual(file);
  expect(filesOf(id)).toEqual([`${id}.csv`]);
  expect(await known(id)).toMatchObject({ state: 'done', attempt: 2, rowsDone: BigInt(rows) });
});

test('an export that cannot be written fails after three attempts', async () => {
  const id = await addWaiting();
  const nowhere = `${folder}-taken`;
  await writeFile(nowhere, 'a file where the folder should be');
  const tries = () =>
    buildExport({ database: worker.database, pool: worker.pool, folder: nowhere }, id, new AbortController().signal);
  for (const state of ['waiting', 'waiting', 'failed']) {
    await expect(tries()).rejects.toThrow('EEXIST');
    expect(await stateOf(id)).toBe(state);
  }
  await tries();
  expect((await known(id)).keptUntil).not.toBeNull();
  await rm(nowhere);
});

test('a killed worker leaves no finished file, and another worker finishes the export', async () => {
  await slowDown(db.owner, 300);
  const first = startProgram({ program: 'worker.ts', environment: testVariables(db.url) });
  const started = await server.call('POST', '/api/reports/exports', { token, body: { tab: 'withdrawal', filter: {} } });
  const { id } = started.json['export'] as { id: string };
  await eventually(async () => (await stateOf(id)) === 'running', 30_000);
  await untilHalfWay(id);
  await first.kill();
  expect(filesOf(id)).toEqual([`${id}.1.part`]);
  expect(await stateOf(id)).toBe('running');
  expect((await server.call('POST', `/api/reports/exports/${id}/link`, { token })).status).toBe(409);

  await slowDown(db.owner, 1_000_000);
  const second = startProgram({ program: 'worker.ts', environment: testVariables(db.url, { LOG_LEVEL: 'info' }) });
  await forget(id);
  await sweep();
  await eventually(async () => (await stateOf(id)) === 'done', 30_000);
  expect(filesOf(id)).toContain(`${id}.csv`);
  expect(await known(id)).toMatchObject({ attempt: 2, failures: 1, rowsDone: BigInt(rows) });
  // The worker can only be stopped after its queue has started.
  await eventually(() => second.said.stdout.includes('"working"'), 20_000);
  expect((await second.stop()).code).toBe(0);
}, 90_000);

test('an export whose workers die repeatedly fails', async () => {
  const id = await addWaiting();
  const die = () => sql`update report_export set state = 'running' where id = ${id}`.execute(db.owner);
  await die();
  await sweep();
  expect(await stateOf(id)).toBe('running');
  for (const state of ['waiting', 'waiting', 'failed']) {
    await die();
    await forget(id);
    await sweep();
    expect(await stateOf(id)).toBe(state);
  }
});

test('an export is deleted a day after it finished, both file and row', async () => {
  const [old, kept] = [await addWaiting(), await addWaiting()];
  await build(old);
  await build(kept);
  await sql`update report_export set kept_until = now() - interval '1 second' where id = ${old}`.execute(db.owner);
  await sweep();
  expect(filesOf(old)).toEqual([]);
  expect(filesOf(kept)).toEqual([`${kept}.csv`]);
  const left = await db.owner.selectFrom('reportExport').select('id').where('id', 'in', [old, kept]).execute();
  expect(left).toEqual([{ id: kept }]);
});

test('files left by a crash are removed, and no others', async () => {
  await mkdir(folder, { recursive: true });
  const done = await addWaiting();
  await build(done);
  const unknown = '019c0000-0000-7000-8000-000000000000';
  const names = [`${done}.1.part`, `${unknown}.csv`, `${unknown}.2.part`, 'somebody-elses.txt'];
  for (const name of names) await writeFile(`${folder}/${name}`, 'x');
  await sweep();
  for (const name of names) expect(readdirSync(folder)).toContain(name);
  const past = new Date(Date.now() - 120_000);
  for (const name of [...names, `${done}.csv`]) utimesSync(`${folder}/${name}`, past, past);
  await sweep();
  const left = readdirSync(folder);
  expect(names.map((name) => left.includes(name))).toEqual([false, false, false, true]);
  expect(left).toContain(`${done}.csv`);
});

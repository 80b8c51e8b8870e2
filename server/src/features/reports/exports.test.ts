import { readdir, readFile, rm } from 'node:fs/promises';
import type { ReportExport } from 'contract/reports.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testVariables } from '#server/core/testing/config.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { addUsers, addWithdrawals } from '#server/core/testing/reports.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { buildExport } from './build.ts';
import { reportJobs } from './jobs.ts';

const { db, server } = await testEnvironment();
const { folder } = db.config.exports;
afterAll(() => rm(folder, { recursive: true, force: true }));

await addAdmin(db.database, { username: 'ann', permissionSet: 'Finance' });
await addAdmin(db.database, { username: 'bob', permissionSet: 'Auditor' });
await addAdmin(db.database, { username: 'sue', permissionSet: 'Support' });
const [ann, bob] = [await server.signIn('ann'), await server.signIn('bob')];

const users = await addUsers(db.owner, ['mira.k', 'Solwalker', 'a "quoted" name', 'Zed']);
await addWithdrawals(db.owner, { users, count: 300, at: '2026-03-01T22:00:00Z' });

type ExportParams = { tab?: string; filter?: Record<string, string> };
const start = (token: string, { tab = 'withdrawal', filter = {} }: ExportParams = {}) =>
  server.call('POST', '/api/reports/exports', { token, body: { tab, filter } });
const act = (token: string, id: string, what: 'cancel' | 'link') =>
  server.call('POST', `/api/reports/exports/${id}/${what}`, { token });
const fetchFile = (id: string, key: string) =>
  server.call('GET', `/api/reports/exports/${id}/file?key=${encodeURIComponent(key)}`);

const build = (id: string) =>
  buildExport({ database: db.worker, pool: db.pool, folder }, id, new AbortController().signal);

async function started(token: string, params: ExportParams = {}) {
  const { status, json } = await start(token, params);
  expect(status, JSON.stringify(json)).toBe(200);
  return (json['export'] as ReportExport).id;
}

async function built(token: string, params: ExportParams = {}) {
  const id = await started(token, params);
  await build(id);
  return id;
}

async function listed(token: string) {
  return (await server.call('GET', '/api/reports/exports', { token })).json['exports'] as ReportExport[];
}
const stateOf = async (id: string) => (await listed(ann)).find((one) => one.id === id)?.state;

const key = async (token: string, id: string) => String((await act(token, id, 'link')).json['key']);

async function audited(id: string) {
  const acts = await db.owner
    .selectFrom('auditEntry')
    .select(['action', 'details'])
    .where('subjectId', '=', id)
    .orderBy('seq')
    .execute();
  return acts.map(({ action, details }) => [action, JSON.parse(details) as unknown]);
}

test('the worker builds an export, and its link downloads the file', async () => {
  const worker = startProgram({ program: 'worker.ts', environment: testVariables(db.url, { LOG_LEVEL: 'info' }) });
  const id = await started(ann, { filter: { status: 'Pending' } });
  const done = await eventually(async () => (await listed(ann)).find(({ state }) => state === 'done'), 30_000);
  expect(done).toMatchObject({ id, tab: 'withdrawal', filter: { status: 'Pending' }, rowsDone: 100, rowsTotal: 100 });
  const kept = Date.parse(String(done.keptUntil)) - Date.parse(String(done.finishedAt));
  expect(kept).toBe(24 * 3_600_000);

  const file = await fetchFile(id, await key(ann, id));
  expect(file.status).toBe(200);
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="withdrawal_report.csv"');
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(file.headers.get('cache-control')).toBe('no-store');
  const lines = file.text.split('\r\n');
  expect(lines.slice(0, 2)).toEqual(['User,Amount,Date,Status', '"mira.k",4.7035,2026-03-02,"Pending"']);
  expect(lines).toHaveLength(102);
  expect(Buffer.byteLength(await readFile(`${folder}/${id}.csv`))).toBe(done.bytes);
  expect(await readdir(folder)).toEqual([`${id}.csv`]);
  expect(await audited(id)).toEqual([
    ['reports.export', { tab: 'withdrawal', filter: { status: 'Pending' } }],
    ['reports.download', { tab: 'withdrawal', rows: 100 }],
  ]);
  // The worker can only be stopped after its queue has started.
  await eventually(() => worker.said.stdout.includes('"working"'), 20_000);
  expect((await worker.stop()).code).toBe(0);
}, 60_000);

test.each([
  [{}, 200],
  [{ status: 'Completed' }, 100],
  [{ user: 'MIRA' }, 50],
  [{ user: 'SO' }, 50],
  [{ date: '2026-03-01' }, 79],
  [{ user: "o'; drop table task; --" }, 0],
  [{ user: '$1' }, 0],
  [{ status: 'Nonsense' }, 0],
])('a file for the filter %j has the %i rows of the list', async (filter, rows) => {
  const id = await built(ann, { filter });
  const [one] = await listed(ann);
  expect(one).toMatchObject({ id, state: 'done', rowsDone: rows, rowsTotal: rows });
  const lines = (await readFile(`${folder}/${id}.csv`, 'utf8')).split('\r\n').slice(1, -1);
  const search = new URLSearchParams({ ...filter, limit: '100' }).toString();
  const list = await server.call('GET', `/api/reports/withdrawal?${search}`, { token: ann });
  const shown = list.json['rows'] as { user: string; amount: string; date: string; status: string }[];
  const written = shown.map(
    ({ user, amount, date, status }) => `"${user.replaceAll('"', '""')}",${amount},${date},"${status}"`,
  );
  expect(lines.slice(0, 100)).toEqual(written);
});

test.each([
  ['deleted', sql`update admin set retired_at = now() where username = 'eve'`],
  ['narrowed', sql`update admin set permission_set = 'Support' where username = 'eve'`],
])('the link of an administrator who was %s does not work', async (_how, becomes) => {
  await addAdmin(db.database, { username: 'eve', permissionSet: 'Auditor' });
  const eve = await server.signIn('eve');
  const id = await built(eve);
  const link = await key(eve, id);
  await becomes.execute(db.owner);
  expect((await fetchFile(id, link)).status).toBe(404);
  await sql`update admin set retired_at = now() where username = 'eve'`.execute(db.owner);
});

test('a link works once', async () => {
  const id = await built(ann);
  const first = await key(ann, id);
  expect(first).toMatch(/^[\w-]{43}$/);
  const answers = await Promise.all([fetchFile(id, first), fetchFile(id, first)]);
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '404']);
  expect((await fetchFile(id, first)).json['error']).toBe('This export no longer exists.');
  const { rows } = await sql`select from report_export where id = ${id} and key_digest is not null`.execute(db.owner);
  expect(rows).toEqual([]);
});

test('a new link replaces the previous one, and every link expires after a minute', async () => {
  const id = await built(ann);
  const [old, late] = [await key(ann, id), await key(ann, id)];
  expect((await fetchFile(id, old)).status).toBe(404);
  const { rows } = await sql<{ ms: number; digest: Buffer }>`
    select extract(epoch from key_until - now())::float * 1000 as ms, key_digest as digest
    from report_export where id = ${id}`.execute(db.owner);
  expect(rows[0]?.ms).toBeGreaterThan(50_000);
  expect(rows[0]?.ms).toBeLessThanOrEqual(60_000);
  expect(rows[0]?.digest.toString()).not.toContain(late);
  await sql`update report_export set key_until = now() where id = ${id}`.execute(db.owner);
  expect((await fetchFile(id, late)).status).toBe(404);
});

test('a key works only for its own export, and a request without a key is rejected', async () => {
  const [one, other] = [await built(ann), await built(ann)];
  const opensOne = await key(ann, one);
  expect((await fetchFile(other, opensOne)).status).toBe(404);
  expect((await fetchFile(other, 'x')).status).toBe(404);
  expect((await server.call('GET', `/api/reports/exports/${one}/file`)).status).toBe(400);
  expect((await fetchFile(one, opensOne)).status).toBe(200);
});

test('the export of another administrator is not found', async () => {
  const id = await built(ann);
  expect(await listed(bob)).toEqual([]);
  for (const what of ['cancel', 'link'] as const) {
    const { status, json } = await act(bob, id, what);
    expect({ status, code: json['code'] }).toEqual({ status: 404, code: 'ExportNotFound' });
  }
});

test('an administrator can have three unfinished exports, even with concurrent requests', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => start(bob)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
  const refused = answers.find(({ status }) => status === 429)?.json;
  expect(refused?.['error']).toBe('Three of your exports are still being built. Wait for one or cancel it.');
  const [first] = await listed(bob);
  expect((await act(bob, String(first?.id), 'cancel')).json['export']).toMatchObject({ state: 'cancelled' });
  expect((await start(bob)).status).toBe(200);
});

test('an export and its task are created together or not at all', async () => {
  const { rows } = await sql`
    select (select count(*) from report_export)::int as exports,
      (select count(distinct data ->> 'id') from pgboss.job where name = 'reports.build-export')::int as tasks`.execute(
    db.owner,
  );
  expect(rows).toEqual([{ exports: expect.any(Number), tasks: rows[0] && (rows[0] as { exports: number }).exports }]);
});

test('an export canceled before it starts is never built, and a finished one cannot be canceled', async () => {
  const id = await started(ann);
  expect((await act(ann, id, 'link')).json['code']).toBe('ExportNotReady');
  expect((await act(ann, id, 'cancel')).status).toBe(200);
  await build(id);
  expect(await stateOf(id)).toBe('cancelled');
  expect(await readdir(folder)).not.toContain(`${id}.csv`);
  const repeated = await act(ann, id, 'cancel');
  expect({ status: repeated.status, code: repeated.json['code'] }).toEqual({ status: 409, code: 'ExportFinished' });
  expect((await audited(id)).map(([action]) => action)).toEqual(['reports.export', 'reports.cancel-export']);
});

test('exporting requires the permission to read reports', async () => {
  const support = await server.signIn('sue');
  const id = await built(ann);
  const answers = [await start(support), await act(support, id, 'cancel'), await act(support, id, 'link')];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
});

test('a filter that the list rejects is also rejected for an export', async () => {
  const wrong = [{ tab: 'users' }, { filter: { date: 'today' } }, { filter: { user: '' } }, { filter: { sort: 'x' } }];
  for (const body of wrong) expect((await start(ann, body)).status, JSON.stringify(body)).toBe(400);
});

/** Adds finished exports, a minute apart, the last one the newest. */
async function addFinished(requestedBy: string, states: string[]) {
  const { rows } = await sql<{ id: string }>`
    insert into report_export (tab, filter, requested_by, state, created_at, finished_at, kept_until)
    select 'withdrawal', '{}', ${requestedBy}::uuid, state::export_state, at, at, at + interval '24 hours'
    from unnest(${states}::text[]) with ordinality as given (state, n)
    cross join lateral (select now() - interval '1 hour' + n * interval '1 minute' as at) as made
    order by n
    returning id`.execute(db.owner);
  return rows.map(({ id }) => id);
}

const idsOf = async (token: string) => (await listed(token)).map(({ id }) => id);

test('a new export beyond twenty removes the oldest one, both row and file', async () => {
  const { id: kim } = await addAdmin(db.database, { username: 'kim', permissionSet: 'Auditor' });
  const token = await server.signIn('kim');
  const oldest = await built(token);
  await sql`update report_export set created_at = now() - interval '2 hours', finished_at = now() - interval '2 hours'
    where id = ${oldest}`.execute(db.owner);
  const others = await addFinished(
    kim,
    Array.from({ length: 19 }, () => 'done'),
  );
  expect(await idsOf(token)).toEqual([...others.toReversed(), oldest]);
  const link = await key(token, oldest);

  const unfinished = [await started(token), await started(token), await started(token)].toReversed();
  expect(await idsOf(token)).toEqual([...unfinished, ...others.toReversed()]);
  expect((await fetchFile(oldest, link)).status).toBe(404);
  expect((await act(token, oldest, 'link')).json['code']).toBe('ExportNotFound');
  expect((await start(token)).status).toBe(429);
  expect(await idsOf(token)).toHaveLength(22);

  const jobs = reportJobs({ exports: { folder }, enqueue: () => Promise.reject(new Error('Nothing was forgotten.')) });
  for (const { run } of jobs) await run(db.worker);
  expect(await readdir(folder)).not.toContain(`${oldest}.csv`);
  const left = await db.owner.selectFrom('reportExport').select('id').where('requestedBy', '=', kim).execute();
  expect(left).toHaveLength(22);
});

test('failed and canceled exports are removed before those with a file', async () => {
  const { id: lee } = await addAdmin(db.database, { username: 'lee', permissionSet: 'Auditor' });
  const token = await server.signIn('lee');
  const states = Array.from({ length: 20 }, (_, place) => ['done', 'failed', 'cancelled'][place % 3] ?? '');
  const before = await addFinished(lee, states);
  const [last] = [await started(token), await started(token)].toReversed();
  await act(token, String(last), 'cancel');
  await started(token);
  const left = await idsOf(token);
  expect(before.filter((id) => !left.includes(id))).toEqual([before[1], before[2]]);
});

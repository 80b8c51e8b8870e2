import { sql } from 'kysely';
import { Maintenance, maintenanceSeconds } from 'contract/maintenance.ts';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());

const ann = await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'fin', permissionSet: 'Finance' });
await addAdmin(db.database, { username: 'sue', permissionSet: 'Support' });
await addAdmin(db.database, { username: 'aud', permissionSet: 'Auditor' });
const token = await server.signIn('ann');
const finance = await second.signIn('fin');

const read = async (on = server) =>
  Maintenance.parse((await on.call('GET', '/api/maintenance', { token })).json['maintenance']);
const set = (active: unknown, given: { as?: string; on?: typeof server } = {}) =>
  (given.on ?? server).call('POST', '/api/maintenance', { token: given.as ?? token, body: { active } });
const acts = () =>
  db.owner
    .selectFrom('auditEntry')
    .select(['actorId', 'details'])
    .where('action', '=', 'maintenance.set')
    .orderBy('seq')
    .execute();

beforeEach(async () => void (await set(false)));

const secondsLeft = ({ endsAt, now }: Maintenance) => ((endsAt?.getTime() ?? Number.NaN) - now.getTime()) / 1_000;

test('a new installation is not under maintenance, and no change is recorded', async () => {
  await sql`update maintenance set active = false, ends_at = null, changed_by = null, changed_at = null`.execute(
    db.owner,
  );
  expect(await read()).toMatchObject({ active: false, endsAt: null, changedBy: null, changedAt: null });
});

test('maintenance ends 3600 seconds after it is switched on, by the clock of the server', async () => {
  expect(maintenanceSeconds).toBe(3_600);
  const answered = Maintenance.parse((await set(true)).json['maintenance']);
  expect(answered).toMatchObject({ active: true, changedBy: 'ann' });
  expect(secondsLeft(answered)).toBeGreaterThan(3_599);
  expect(secondsLeft(answered)).toBeLessThanOrEqual(3_600);
  const changedAt = answered.changedAt?.getTime() ?? Number.NaN;
  expect(Math.abs(answered.now.getTime() - changedAt)).toBeLessThan(1_000);
});

test('the end time is the same on every process and does not move', async () => {
  await set(true);
  const [here, there] = [await read(), await read(second)];
  expect(there.endsAt).toEqual(here.endsAt);
  expect(there.now.getTime()).toBeGreaterThan(here.now.getTime());
});

test('switching it on twice changes neither the end time nor the administrator nor the audit log', async () => {
  await set(true);
  const before = { state: await read(), acts: await acts() };
  expect((await set(true, { as: finance, on: second })).status).toBe(200);
  expect(await read()).toEqual({ ...before.state, now: expect.any(Date) });
  expect(await acts()).toEqual(before.acts);
});

test('two administrators who switch it on concurrently start one window', async () => {
  for (let round = 0; round < 8; round += 1) {
    await set(false);
    const before = (await acts()).length;
    const answers = await Promise.all([set(true), set(true, { as: finance, on: second })]);
    const ends = answers.map(({ json }) => Maintenance.parse(json['maintenance']).endsAt);
    expect(ends[0]).toEqual(ends[1]);
    expect((await acts()).length).toBe(before + 1);
  }
});

test('maintenance stays active after its end time until an administrator ends it', async () => {
  await set(true);
  await sql`update maintenance set ends_at = now() - interval '5 minutes'`.execute(db.owner);
  const over = await read();
  expect(over.active).toBe(true);
  expect(secondsLeft(over)).toBeLessThan(-299);
});

test('the audit log records the administrator and the state before and after', async () => {
  await set(true);
  await set(false);
  const [on, off] = (await acts()).slice(-2);
  expect(on).toMatchObject({ actorId: ann.id });
  expect(JSON.parse(on?.details ?? '')).toEqual({
    before: { active: false, endsAt: null },
    after: { active: true, endsAt: expect.stringMatching(/Z$/) },
  });
  expect(JSON.parse(off?.details ?? '')).toMatchObject({
    before: { active: true },
    after: { active: false, endsAt: null },
  });
});

test('every open panel is notified, on other processes too', async () => {
  const stream = await openStream(second.address, { authorization: `Bearer ${finance}` });
  await set(true);
  expect(await stream.heard({ feature: 'maintenance' })).toMatchObject({ id: 'platform' });
  await stream.close();
});

test.each([
  ['fin', 200],
  ['sue', 403],
  ['aud', 403],
] as const)('switching as %s returns %i, and reading is allowed', async (username, status) => {
  const theirs = await server.signIn(username);
  expect((await set(true, { as: theirs })).status).toBe(status);
  expect((await read()).active).toBe(status === 200);
  expect((await server.call('GET', '/api/maintenance', { token: theirs })).status).toBe(200);
});

test('only true and false are accepted, without other fields', async () => {
  for (const active of ['true', 1, null]) expect((await set(active)).status).toBe(400);
  const more = { active: true, endsAt: '2030-01-01T00:00:00Z' };
  expect((await server.call('POST', '/api/maintenance', { token, body: more })).status).toBe(400);
});

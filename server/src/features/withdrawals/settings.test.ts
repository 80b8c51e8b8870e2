import { expect, test } from 'vitest';
import { sql } from 'kysely';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();

async function addClerk(username: string, permissionSet: 'Finance' | 'Support' = 'Finance') {
  const { id } = await addAdmin(db.database, { username, permissionSet });
  return { id, username, token: await server.signIn(username) };
}
const ann = await addClerk('ann');
const bea = await addClerk('bea');

type Settings = { version: number; waiting: { approval: string; facts: object[] } | null };
const read = async () =>
  (await server.call('GET', '/api/withdrawals/settings', { token: ann.token })).json['settings'] as Settings;
const request = (body: object, { token } = ann) =>
  server.call('POST', '/api/withdrawals/settings', { token, body: { mode: 'manual', unknownAfterHours: 24, ...body } });

async function decide({ token }: typeof ann, decision: 'approve' | 'deny') {
  const id = (await read()).waiting?.approval ?? '';
  const { json } = await server.call('GET', `/api/approvals/${id}`, { token });
  const { digest } = json['approval'] as { digest: string };
  const body = { decision, digest, ...(decision === 'deny' && { reason: 'No.' }) };
  return server.call('POST', `/api/approvals/${id}/decide`, { token, body });
}

test('administrators send by default, and a withdrawal is unknown after a day', async () => {
  expect(await read()).toMatchObject({
    mode: 'manual',
    unknownAfterHours: 24,
    version: 1,
    savedBy: null,
    waiting: null,
  });
});

test('another sender needs a second approver, and applies once it is approved', async () => {
  const stream = await openStream(server.address, { authorization: `Bearer ${bea.token}` });
  expect((await request({ mode: 'platform', version: 1 })).status).toBe(200);
  await stream.heard({ feature: 'withdrawals', id: 'settings' });
  await stream.close();
  const waiting = await read();
  expect(waiting).toMatchObject({ mode: 'manual', version: 1 });
  expect(waiting.waiting?.facts).toEqual([
    { key: 'withdrawalMode', before: 'manual', value: 'platform' },
    { key: 'version', value: '1' },
  ]);
  expect((await request({ mode: 'platform', version: 1 }, bea)).json['code']).toBe('ChangeWaits');
  expect((await decide(ann, 'approve')).json['code']).toBe('OwnRequest');
  expect((await decide(bea, 'approve')).status).toBe(200);
  expect(await read()).toMatchObject({
    mode: 'platform',
    version: 2,
    savedBy: 'ann',
    approvedBy: 'bea',
    waiting: null,
  });
  const { rows } = await sql`
    select action from audit_entry where action = 'withdrawals.ask-settings'`.execute(db.owner);
  expect(rows).toHaveLength(1);
});

test('a denied change leaves the settings as they are', async () => {
  const { version } = await read();
  await request({ mode: 'platform', unknownAfterHours: 48, version });
  expect((await decide(bea, 'deny')).status).toBe(200);
  expect(await read()).toMatchObject({ unknownAfterHours: 24, version, waiting: null });
});

test('a change of an old version, of nothing, or out of range is refused', async () => {
  const { version } = await read();
  expect((await request({ version: version - 1 })).json['code']).toBe('SettingsConflict');
  expect((await request({ mode: 'platform', version })).json['code']).toBe('SettingsUnchanged');
  expect((await request({ mode: 'platform', unknownAfterHours: 0, version })).status).toBe(400);
  expect((await request({ mode: 'platform', unknownAfterHours: 721, version })).status).toBe(400);
});

test('an Admin narrowed to Support cannot request a change', async () => {
  const { version } = await read();
  expect((await request({ version }, await addClerk('sam', 'Support'))).status).toBe(403);
});

test('the database refuses settings that nobody approved', async () => {
  const insert = sql`insert into withdrawal_settings (version, mode, unknown_after_hours) values (99, 'platform', 24)`;
  await expect(insert.execute(db.database)).rejects.toMatchObject({ message: 'NotDecided' });
});

import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { replayedMs } from 'contract/events.ts';
import { sql } from 'kysely';
import { afterAll, expect, test, vi } from 'vitest';
import { openLog } from '#server/core/log.ts';
import { eventually, openStream } from '#server/core/testing/stream.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword, testServer } from '#server/core/testing/server.ts';
import { endSessionsIn } from '#server/core/testing/session.ts';
import { announce } from './events.ts';

const { db, server: one } = await testEnvironment();
const two = await testServer(db.url);
afterAll(() => two[Symbol.asyncDispose]());

await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const rootToken = await one.signIn('root');

const realNow = performance.now.bind(performance);

let added = 0;
async function listener(on = two) {
  added += 1;
  // An administrator who may not approve, so that deleting them needs no second approver.
  const admin = await addAdmin(db.database, { username: `listener${added}`, permissionSet: 'Support' });
  const token = await on.signIn(admin.username);
  const stream = await openStream(on.address, { authorization: `Bearer ${token}` });
  expect(stream.status).toBe(200);
  return { admin, token, stream };
}

test('a stream opens immediately, before any event, and is not cached', async () => {
  const started = performance.now();
  const { stream } = await listener();
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(stream.status).toBe(200);
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  expect(stream.headers.get('cache-control')).toMatch(/no-(store|cache)/);
  await stream.close();
});

test('a stream starts with an empty comment, because a proxy may hold headers back until there is a body', async () => {
  const response = await fetch(`${two.address}/api/events`, { headers: { authorization: `Bearer ${rootToken}` } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = await Promise.race([reader?.read(), wait(5_000)]);
  expect(first?.value).toMatch(/^:\n\n/);
  await reader?.cancel();
});

test('a change on one server reaches a stream on the other within a second', async () => {
  const { stream } = await listener();
  const started = performance.now();
  const body = { type: 'Heard', description: 'Everywhere' };
  const { json } = await one.call('POST', '/api/tickets', { token: rootToken, body });
  const heard = await stream.heard({ feature: 'tickets', id: String(json['id']) });
  expect(heard.at - started).toBeLessThan(1_000);
  await stream.close();
});

test('an event names what changed and contains none of its data', async () => {
  const { stream } = await listener();
  const { json } = await one.call('POST', '/api/tickets', {
    token: rootToken,
    body: { type: 'Private', description: 'Text' },
  });
  const { at: _, ...heard } = await stream.heard({ id: String(json['id']) });
  expect(heard).toEqual({ feature: 'tickets', id: json['id'] });
  await stream.close();
});

test('an event of a rolled-back transaction is never sent', async () => {
  const { stream } = await listener();
  const undone = db.database.transaction().execute(async (tx) => {
    await announce(tx, { feature: 'tickets', id: 'undone' });
    throw new Error('Changed my mind.');
  });
  await expect(undone).rejects.toThrow('Changed my mind.');
  await db.database.transaction().execute((tx) => announce(tx, { feature: 'tickets', id: 'done' }));
  await stream.heard({ id: 'done' });
  expect(stream.events.map(({ id }) => id)).not.toContain('undone');
  await stream.close();
});

test('a stream needs a session', async () => {
  for (const authorization of ['', 'Bearer garbage']) {
    expect((await openStream(one.address, { authorization })).status).toBe(401);
  }
});

test('a request that does not accept an event stream gets a 406', async () => {
  const answer = await one.call('GET', '/api/events', { token: rootToken, headers: { accept: 'application/json' } });
  expect(answer.status).toBe(406);
  expect(answer.json['code']).toBe('NotAcceptable');
});

test('a stream ends when its session is ended on another server', async () => {
  const { token, stream } = await listener();
  await one.call('POST', '/api/auth/logout', { token });
  await eventually(() => stream.ended, 2_000);
});

test('a panel that disconnects while its session is being checked causes no error', async () => {
  const errors = new PassThrough();
  await using watched = await testServer(db.url, {}, openLog('error', errors));
  const { id, username } = await addAdmin(db.database, { username: 'leaver' });
  const stream = await openStream(watched.address, { authorization: `Bearer ${await one.signIn(username)}` });
  await db.owner.transaction().execute(async (tx) => {
    await sql`lock table session in access exclusive mode`.execute(tx);
    await db.database.transaction().execute((other) => announce(other, { feature: 'auth', id }));
    await eventually(() => isSessionReadWaiting(tx));
    await stream.close();
    // The operating system notifies the server a little later.
    await wait(200);
  });
  await wait(200);
  expect(String(errors.read() ?? '')).toBe('');
});

async function isSessionReadWaiting(tx: typeof db.owner) {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%session%'`.execute(tx);
  return rows.length > 0;
}

test('a stream ends when its administrator is deleted', async () => {
  const { admin, stream } = await listener();
  await one.call('POST', '/api/admin/delete', { token: rootToken, body: { username: admin.username } });
  await eventually(() => stream.ended, 2_000);
});

test('a stream ends when the role of its administrator changes', async () => {
  const { admin, stream } = await listener();
  const body = { version: 1, permissionSet: 'Finance' };
  await one.call('PATCH', `/api/admin/${admin.id}`, { token: rootToken, body });
  await eventually(() => stream.ended, 2_000);
});

test('ending one session keeps the other streams of its administrator open and sends nothing to other administrators', async () => {
  const { admin, stream } = await listener();
  const stranger = await listener();
  const { json } = await one.call('POST', '/api/admin/login', {
    body: { username: admin.username, password: testPassword },
  });
  await one.call('POST', '/api/auth/logout', { token: String(json['token']) });
  await stream.heard({ feature: 'auth', id: admin.id });
  expect(stream.ended).toBe(false);
  await db.database.transaction().execute((tx) => announce(tx, { feature: 'tickets', id: 'after' }));
  await stranger.stream.heard({ id: 'after' });
  expect(stranger.stream.events.filter(({ feature }) => feature === 'auth')).toEqual([]);
  await stream.close();
  await stranger.stream.close();
});

test('a stream ends at the absolute end of its session', async () => {
  await using short = await testServer(db.url);
  const { username, id } = await addAdmin(db.database, { username: 'brief' });
  const token = await short.signIn(username);
  await endSessionsIn(db.owner, id, 800);
  const stream = await openStream(short.address, { authorization: `Bearer ${token}` });
  expect(stream.status).toBe(200);
  await eventually(() => stream.ended, 5_000);
});

test('after a lost database connection, a stream reports that everything may have changed and receives events again', async () => {
  const { stream } = await listener();
  await db.database.transaction().execute((tx) => announce(tx, { feature: 'tickets', id: 'before' }));
  await stream.heard({ id: 'before' });
  const breaks = () => stream.events.filter(({ feature }) => feature === 'events').length;
  // The server may have sent this event before, because it has just started to listen.
  const known = breaks();
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'bursar-listen' and datname = current_database()`.execute(db.owner);
  await eventually(() => breaks() > known, 10_000);
  await db.database.transaction().execute((tx) => announce(tx, { feature: 'tickets', id: 'again' }));
  await stream.heard({ id: 'again' });
  await stream.close();
});

test('a stream starts with the changes from just before it was opened', async () => {
  const { stream: earlier } = await listener();
  await db.database.transaction().execute((tx) => announce(tx, { feature: 'tickets', id: 'just-before' }));
  await earlier.heard({ id: 'just-before' });
  const { stream } = await listener();
  await stream.heard({ feature: 'tickets', id: 'just-before' });
  await Promise.all([earlier.close(), stream.close()]);
});

test('a stream does not replay changes from long before it was opened', async () => {
  const { stream: earlier } = await listener();
  await db.database.transaction().execute((tx) => announce(tx, { feature: 'tickets', id: 'long-before' }));
  await earlier.heard({ id: 'long-before' });
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + replayedMs + 1);
  const { stream } = await listener();
  await db.database.transaction().execute((tx) => announce(tx, { feature: 'tickets', id: 'now' }));
  await stream.heard({ id: 'now' });
  expect(stream.events.map(({ id }) => id)).not.toContain('long-before');
  clock.mockRestore();
  await Promise.all([earlier.close(), stream.close()]);
});

test('a server that has just started to listen reports that everything may have changed', async () => {
  await using fresh = await testServer(db.url);
  const { stream } = await listener(fresh);
  await stream.heard({ feature: 'events', id: null });
  await stream.close();
});

test('a server that stops closes its open streams', async () => {
  const stopping = await testServer(db.url);
  const { stream } = await listener(stopping);
  const started = performance.now();
  await stopping[Symbol.asyncDispose]();
  expect(performance.now() - started).toBeLessThan(5_000);
  await eventually(() => stream.ended, 2_000);
});

test('a session that lasts for months can have a stream', async () => {
  await using patient = await testServer(db.url, { BURSAR_SESSION_MINUTES: '100000' });
  const { stream } = await listener(patient);
  await db.database.transaction().execute((tx) => announce(tx, { feature: 'tickets', id: 'patience' }));
  await stream.heard({ id: 'patience' });
  await stream.close();
});

test('an announcement that this version cannot parse is reported as a change of everything', async () => {
  const { stream } = await listener();
  for (const payload of ['not json', '{"feature":5}', '{"feature":"withdrawals","id":"w1"}']) {
    await sql`select pg_notify('bursar', ${payload})`.execute(db.database);
  }
  await stream.heard({ feature: 'events', id: null });
  await stream.heard({ feature: 'withdrawals', id: 'w1' });
  expect((await two.call('GET', '/api/health/live')).status).toBe(200);
  await stream.close();
});

test('one session can have 20 streams and no more', async () => {
  const { token, stream } = await listener();
  const headers = { authorization: `Bearer ${token}` };
  const more = await Promise.all(Array.from({ length: 22 }, () => openStream(two.address, headers)));
  expect(more.filter(({ status }) => status === 200)).toHaveLength(19);
  expect(more.filter(({ status }) => status === 429)).toHaveLength(3);
  await Promise.all([stream, ...more].map((one) => one.close()));
  const again = await eventually(async () => {
    const one = await openStream(two.address, headers);
    if (one.status === 200) return one;
    await one.close();
    return undefined;
  });
  await again.close();
});

test('a stream ends when a newer session replaces its session', async () => {
  const { admin, stream } = await listener();
  for (let session = 0; session < 5; session += 1) await two.signIn(admin.username);
  await eventually(() => stream.ended);
});

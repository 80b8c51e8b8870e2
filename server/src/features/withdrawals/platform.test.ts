import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { platformId } from '#server/core/platform-id.ts';
import { newWallet, platformOf } from '#server/core/testing/inbound.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { held, paid, returned, settlementOf } from '#server/core/testing/settlement.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import { withdrawalJobs } from './jobs.ts';
import { type Report, reportFromPlatform } from './settlement.ts';

const { db, server } = await testEnvironment();
const { posted, totalsOf, expectSound } = ledgerOf(db);
const { ann, settle, read, approve, approved, sent, unknown, decideFailure, actsOn } = await settlementOf({
  db,
  server,
});
const { id: apiKeyId, secret } = await addApiKey(db.owner, { scopes: ['settlement:write'] });

const report = (id: string, it: Report) =>
  db.database.transaction().execute((tx) => reportFromPlatform(tx, { id, apiKeyId, ...it }));

test('the platform reports the whole life of a withdrawal, and a repeated report changes nothing', async () => {
  const { id, user } = await approved('platform');
  await report(id, { outcome: 'sent', reference: `p ${id}` });
  await report(id, { outcome: 'unknown' });
  await report(id, { outcome: 'sent', reference: `p ${id}` });
  expect(await read(id)).toMatchObject({ state: 'unknown', sentBy: null, sentSource: 'platform' });
  await report(id, { outcome: 'confirmed', reference: `p ${id}` });
  const { withdrawal } = await report(id, { outcome: 'confirmed', reference: `p ${id}` });
  expect(withdrawal).toMatchObject({ state: 'confirmed', settledBy: null, settledSource: 'platform' });
  expect(await totalsOf(user)).toMatchObject(paid);
  expect(await actsOn(id)).toEqual([
    `withdrawals.approve ${ann.id}`,
    'withdrawals.sent platform',
    'withdrawals.unknown platform',
    'withdrawals.confirmed platform',
  ]);
  await expect(report(id, { outcome: 'failed', reason: 'No.' })).rejects.toThrow('WithdrawalSettled');
  await expect(report(id, { outcome: 'confirmed', reference: 'other' })).rejects.toThrow('WithdrawalSettled');
  await expectSound();
});

test('the platform reports a failure alone, also of a withdrawal that was sent', async () => {
  const { id, user } = await approved('platform');
  await report(id, { outcome: 'sent', reference: `f ${id}` });
  await report(id, { outcome: 'failed', reason: 'Rejected by the network.' });
  expect(await read(id)).toMatchObject({
    state: 'failed',
    reason: 'Rejected by the network.',
    settledSource: 'platform',
  });
  expect(await totalsOf(user)).toMatchObject(returned);
  await expectSound();
});

test('the platform reports only on withdrawals that it was asked to send', async () => {
  const { id } = await approved('manual');
  await expect(report(id, { outcome: 'failed', reason: 'No.' })).rejects.toThrow('NotAsked');
  await expect(report('019c0000-0000-7000-8000-000000000000', { outcome: 'unknown' })).rejects.toThrow(
    'WithdrawalNotFound',
  );
});

test('the platform names a withdrawal by its own ID, in reports and in events', async () => {
  const { userId, id: userUuid } = await addUser(db.owner);
  await posted(deposit({ userId: userUuid, units: 50_000_000n }));
  const { secret: token } = await addApiKey(db.owner, { scopes: ['withdrawals:write', 'events:read'] });
  const own = `payout/${'7'.repeat(80)}?#%`;
  const item = { id: own, user: userId, asset: 'USD', amount: '50', wallet: newWallet(), at: new Date().toISOString() };
  expect(await platformOf(server, token).send('withdrawals', item)).toEqual(['stored']);
  const id = platformId('withdrawal', own);
  await approve(id, 'platform');
  const outcome = (path: string, body: object) =>
    server.call('POST', `/api/platform/withdrawals/${encodeURIComponent(path)}/outcome`, { token: secret, body });
  const sentOnce = await outcome(own, { outcome: 'sent', reference: 'own-1' });
  expect(sentOnce.json).toEqual({ id: own, state: 'sent', reference: 'own-1' });
  expect((await outcome(id, { outcome: 'confirmed' })).json).toEqual({ id, state: 'confirmed', reference: 'own-1' });
  expect(await read(id)).toMatchObject({ platformId: own });
  expect((await outcome('unheard-of', { outcome: 'confirmed' })).json['code']).toBe('WithdrawalNotFound');
  const { json } = await server.call('GET', '/api/platform/events?limit=1000', { token });
  const events = (json['events'] as { subjectId: string; data: object }[]).filter(({ subjectId }) => subjectId === id);
  expect(events.map(({ data }) => data)).toMatchObject(
    Array(2).fill({ withdrawalId: id, platformId: own, userId, userUuid }),
  );
});

test('a late report of sending stores the reference, and supersedes a request to record a failure', async () => {
  const { id, user } = await approved('platform');
  const reference = `late ${id}`;
  await settle(id, { outcome: 'unknown' });
  await settle(id, { outcome: 'failed', reason: 'The platform is silent.' });
  expect(await read(id)).toMatchObject({ state: 'unknown', failureRequestedBy: ann.username });
  await report(id, { outcome: 'sent', reference });
  const late = { state: 'unknown', reference, sentSource: 'platform', sentAt: expect.any(String), waitsUntil: null };
  expect(await read(id)).toMatchObject(late);
  await report(id, { outcome: 'sent', reference });
  await expect(report(id, { outcome: 'confirmed', reference: 'other' })).rejects.toThrow('ReferenceDiffers');
  await report(id, { outcome: 'confirmed', reference });
  expect(await totalsOf(user)).toMatchObject(paid);
  await expectSound();
});

test('while the platform is expected to send a withdrawal, no administrator reports it as sent or confirmed', async () => {
  const { id, user } = await approved('platform');
  for (const outcome of ['sent', 'confirmed']) {
    expect((await settle(id, { outcome, reference: 'by-hand' })).json['code']).toBe('PlatformSends');
  }
  await report(id, { outcome: 'sent', reference: `true ${id}` });
  expect((await settle(id, { outcome: 'confirmed' })).json['withdrawal']).toMatchObject({ reference: `true ${id}` });
  expect(await totalsOf(user)).toMatchObject(paid);

  const silent = await approved('platform');
  await settle(silent.id, { outcome: 'unknown' });
  expect((await settle(silent.id, { outcome: 'confirmed', reference: `seen ${silent.id}` })).status).toBe(200);
  await expectSound();
});

test('an administrator cannot return money that the platform was asked to send without a second approver', async () => {
  const { id, user } = await approved('platform');
  await settle(id, { outcome: 'failed', reason: 'The platform did nothing.' });
  expect(await read(id)).toMatchObject({ state: 'approved', failureRequestedBy: ann.username });
  expect(await totalsOf(user)).toMatchObject(held);
  expect((await decideFailure(id)).status).toBe(200);
  expect(await totalsOf(user)).toMatchObject(returned);
});

test('the platform is asked once, in the transaction of the approval, and never again', async () => {
  const { id } = await approved('platform');
  expect(await read(id)).toMatchObject({ askedAt: expect.stringMatching(/Z$/) });
  const again = sql`update withdrawal set asked_at = now() + interval '1 second' where id = ${id}`;
  await expect(again.execute(db.database)).rejects.toMatchObject({ code: 'BU002' });
  const manual = await unknown();
  const late = sql`update withdrawal set asked_at = now() where id = ${manual.id}`;
  await expect(late.execute(db.database)).rejects.toMatchObject({ code: 'BU002' });
  expect(await read(manual.id)).toMatchObject({ askedAt: null });
});

test('a job marks withdrawals as unknown that were sent or asked for, and not heard of in time', async () => {
  const [late, recent, unsent, asked] = [await sent(), await sent(), await approved(), await approved('platform')];
  await db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const [id, hours] of [
      [late.id, 25],
      [recent.id, 23],
      [unsent.id, 50],
      [asked.id, 25],
    ] as const) {
      const back = sql`${hours} * interval '1 hour'`;
      await sql`update withdrawal set decided_at = decided_at - ${back}, sent_at = sent_at - ${back},
        asked_at = asked_at - ${back} where id = ${id}`.execute(tx);
    }
  });
  await withdrawalJobs.find(({ name }) => name === 'withdrawals.mark-unknown')?.run(db.worker);
  const states = await Promise.all([late, recent, unsent, asked].map(({ id }) => read(id)));
  expect(states.map(({ state }) => state)).toEqual(['unknown', 'sent', 'approved', 'unknown']);
  expect(states[0]).toMatchObject({ unknownSource: 'clock', unknownBy: null });
  await expectSound();
});

test('the platform reports with an API key, once for each idempotency key, and its key is in the audit log', async () => {
  const { id, user } = await approved('platform');
  const send = (body: object, key: string) =>
    server.call('POST', `/api/platform/withdrawals/${id}/outcome`, {
      token: secret,
      body,
      headers: { 'idempotency-key': key },
    });
  expect((await send({ outcome: 'sent', reference: `k ${id}` }, 'one')).json).toMatchObject({ state: 'sent' });
  const answers = await Promise.all([1, 2, 3].map(() => send({ outcome: 'confirmed' }, 'two')));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]).toMatchObject({ status: 200, json: { state: 'confirmed', reference: `k ${id}` } });
  expect((await send({ outcome: 'failed', reason: 'No.' }, 'three')).json['code']).toBe('WithdrawalSettled');
  expect((await send({ outcome: 'failed', reason: 'No.' }, 'two')).json['code']).toBe('KeyReused');
  expect(await totalsOf(user)).toMatchObject(paid);
  const acts = db.owner.selectFrom('auditEntry').select('action').where('apiKeyId', '=', apiKeyId);
  expect((await acts.where('subjectId', '=', id).execute()).length).toBe(2);
  const { secret: other } = await addApiKey(db.owner, { scopes: ['withdrawals:write'] });
  const path = `/api/platform/withdrawals/${id}/outcome`;
  const refused = await server.call('POST', path, { token: other, body: { outcome: 'unknown' } });
  expect(refused.json['code']).toBe('ScopeMissing');
});

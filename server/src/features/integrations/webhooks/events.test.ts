import { type EventType, eventData } from 'contract/integrations-events.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { runsOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { findForgedEvents } from '#server/core/outbox/queries.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
const runs = runsOf(db, { linesInChunk: 50 });
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const token = await server.signIn('root');
const { secret: apiKey } = await addApiKey(db.owner, { scopes: ['events:read'] });

type Event = { type: EventType; subjectId: string; data: Record<string, unknown> };

const call = (method: string, path: string, body?: object) => server.call(method, `/api${path}`, { token, body });
const newest = async () =>
  (await sql<{ seq: string }>`select coalesce(max(seq), 0)::text as seq from platform_event`.execute(db.owner)).rows[0]
    ?.seq;

/** Returns the events that an action causes. The data of each follows the contract. */
async function eventsOf(act: () => Promise<unknown>) {
  const after = await newest();
  await act();
  const { json } = await server.call('GET', `/api/platform/events?after=${after}&limit=1000`, { token: apiKey });
  const events = json['events'] as Event[];
  for (const { type, data } of events) expect(z.safeDecode(eventData[type], data as never).error).toBeUndefined();
  return events.map(({ type, subjectId, data }) => ({ type, subjectId, data }));
}

const succeeding = async (answer: ReturnType<typeof call>) => expect((await answer).status).toBe(200);

test('an event that was inserted into the database is not listed, and a verification names it', async () => {
  const { rows } = await sql<{ id: string }>`
    insert into platform_event (type, subject_id, data, seal)
    values ('withdrawals.switched', 'withdrawals', '{"enabled": false}', sha256('mine')) returning id`.execute(
    db.database,
  );
  expect(await findForgedEvents(db.worker)).toEqual([rows[0]?.id]);
  const { json } = await server.call('GET', '/api/platform/events', { token: apiKey });
  expect(json).toMatchObject({ events: [], cursor: await newest(), hasMore: false });
});

test('a user who is blacklisted, changed and deleted', async () => {
  const { id } = await addUser(db.owner, { username: 'mira.k', rank: 'Gold' });
  const user = { userUuid: id, username: 'mira.k' };
  const blacklist = (blacklisted: boolean) =>
    succeeding(call('POST', `/users/${id}/blacklist`, { blacklisted, reason: 'Fraud' }));
  expect(await eventsOf(() => blacklist(true))).toEqual([
    {
      type: 'user.blacklisted',
      subjectId: id,
      data: { ...user, userId: expect.any(String), isBlacklisted: true, reason: 'Fraud' },
    },
  ]);
  expect(await eventsOf(() => blacklist(false))).toMatchObject([
    { type: 'user.blacklisted', data: { isBlacklisted: false, reason: null } },
  ]);
  const { json } = await call('GET', `/users/${id}`);
  const { version } = json['user'] as { version: number };
  expect(
    await eventsOf(() => succeeding(call('PATCH', `/users/${id}`, { referralCode: 'NEWCODE1', version }))),
  ).toMatchObject([
    {
      type: 'user.changed',
      subjectId: id,
      data: { ...user, changed: ['referralCode'], referralCode: 'NEWCODE1', rank: 'Gold' },
    },
  ]);
  expect(await eventsOf(() => succeeding(call('POST', `/users/${id}/delete`)))).toMatchObject([
    { type: 'user.changed', subjectId: id, data: { ...user, changed: ['isDeleted'], isDeleted: true } },
  ]);
});

test('a withdrawal that is approved or rejected, and the switch for all of them', async () => {
  const { id: userId } = await addUser(db.owner, { username: 'noor' });
  const add = () => addWithdrawal(db.owner, { userId, units: 12_500_000n });
  const approved = await add();
  const approve = () => succeeding(call('POST', `/withdrawals/${approved}/approve`, { reference: '5sig' }));
  const data = {
    withdrawalId: approved,
    platformId: null,
    userUuid: userId,
    userId: expect.any(String),
    username: 'noor',
    amount: '12.50',
    asset: 'USD',
    reference: '5sig',
    state: 'confirmed',
    isAsked: false,
  };
  expect(await eventsOf(approve)).toMatchObject([
    { type: 'withdrawal.approved', subjectId: approved, data },
    { type: 'withdrawal.confirmed', subjectId: approved, data },
  ]);
  const rejected = await add();
  const reject = () => succeeding(call('POST', `/withdrawals/${rejected}/reject`, { reason: 'No.' }));
  expect(await eventsOf(reject)).toMatchObject([
    { type: 'withdrawal.rejected', subjectId: rejected, data: { status: 'Failed', reason: 'No.' } },
  ]);
  const refused = () => call('POST', `/withdrawals/${rejected}/reject`, { reason: 'Again.' });
  expect(await eventsOf(refused)).toEqual([]);
  expect(await eventsOf(() => succeeding(call('POST', '/withdrawals/switch', { enabled: false })))).toMatchObject([
    { type: 'withdrawals.switched', data: { enabled: false } },
  ]);
  await call('POST', '/withdrawals/switch', { enabled: true });
});

test('a reply to a ticket, and maintenance', async () => {
  const { json } = await call('POST', '/tickets', { type: 'Lost', description: 'Help' });
  const id = String(json['id']);
  expect(await eventsOf(() => succeeding(call('POST', `/tickets/${id}/reply`, { message: 'Found it' })))).toMatchObject(
    [
      {
        type: 'ticket.replied',
        subjectId: id,
        data: { status: 'in_progress', reply: { sender: 'root', message: 'Found it' } },
      },
    ],
  );
  const switched = (active: boolean) => succeeding(call('POST', '/maintenance', { active }));
  expect(await eventsOf(() => switched(true))).toMatchObject([
    { type: 'maintenance.changed', data: { active: true, endsAt: expect.stringMatching(/Z$/) } },
  ]);
  expect(await eventsOf(() => switched(true))).toEqual([]);
  await switched(false);
});

test('a run and its reversal: an event per chunk whose sums are those of the run, and the stakes that end', async () => {
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  await addCrowd(db.owner, { users: 120, placedOn: day(10) });
  const { id: userId } = await addUser(db.owner, { username: 'ada', rank: 'Gold' });
  const ending = await addStake(db.owner, { userId, units: 50_000_000n, days: 9, placedOn: day(10) });
  const { id } = await runs.create('stake-payout', new Date());
  await runs.plan(id);
  await runs.start(id);
  const paid = await eventsOf(() => runs.pay(id));
  const { lines, skipped, pays, releases } = await runs.read(id);
  const made = paid.filter(({ type }) => type === 'payment.made');
  expect(made.length).toBeGreaterThan(2);
  expect(made.every(({ subjectId }) => subjectId === id)).toBe(true);
  const sum = (events: typeof made, field: string) =>
    events.reduce((total, { data }) => total + BigInt(Math.round(Number(data[field]) * 1e6)), 0n);
  expect(made.reduce((total, { data }) => total + Number(data['count']), 0)).toBe(Number(lines - skipped));
  expect(sum(made, 'amount')).toBe(pays + releases);
  const { json } = await server.call('GET', String(made[0]?.data['payments']), { token: apiKey });
  expect(json['payments']).toHaveLength(Number(made[0]?.data['count']));
  expect(paid.filter(({ type }) => type === 'stake.completed')).toMatchObject([
    { subjectId: id, data: { runId: id, count: 1, stakes: [{ id: ending, userUuid: userId, amount: '50.00' }] } },
  ]);

  const reversal = await runs.reverse(id);
  await runs.start(reversal.id);
  const reversed = await eventsOf(() => runs.pay(reversal.id));
  expect(new Set(reversed.map(({ type }) => type))).toEqual(new Set(['payment.reversed']));
  expect(reversed[0]?.data).toMatchObject({ runId: reversal.id, reverses: id, reason: expect.any(String) });
  expect(sum(reversed, 'amount')).toBe(sum(made, 'amount'));
});

test('a chunk that cannot be paid leaves no event', async () => {
  const { id } = await runs.create('stake-payout', new Date());
  await runs.plan(id);
  await runs.start(id);
  await sql
    .raw(`create function lose() returns trigger language plpgsql as 'begin return null; end'`)
    .execute(db.owner);
  await sql
    .raw(
      `create trigger lose before insert on transfer for each row when (new.kind = 'stake-bonus') execute function lose()`,
    )
    .execute(db.owner);
  const events = await eventsOf(() => runs.pay(id));
  await sql.raw(`drop function lose cascade`).execute(db.owner);
  const { rows } = await sql`select from run_chunk where run_id = ${id} and paid_at is null`.execute(db.owner);
  expect(rows.length).toBeGreaterThan(0);
  const { rows: paidRows } = await sql`select from run_chunk where run_id = ${id} and paid_at is not null`.execute(
    db.owner,
  );
  expect(events.filter(({ type }) => type === 'payment.made')).toHaveLength(paidRows.length);
});

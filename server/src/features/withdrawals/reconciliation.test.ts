import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
const { expectSound } = ledgerOf(db);

async function addClerk(username: string, permissionSet: 'Finance' | 'Support' | 'Auditor' = 'Finance') {
  const { id } = await addAdmin(db.database, { username, permissionSet });
  return { id, username, token: await server.signIn(username) };
}
const ann = await addClerk('ann');
const bea = await addClerk('bea');

const units = 10_000_000n;
const today = new Date().toISOString().slice(0, 10);
const time = new Date().toISOString();

const post = (path: string, body: object, { token } = ann) => server.call('POST', path, { token, body });

/** Adds a withdrawal to the wallet So1Wallet that was sent under this reference, at a day if one is given. */
async function sent(reference: string, { day, fails = false }: { day?: string; fails?: boolean } = {}) {
  const { id: userId } = await addUser(db.owner);
  const id = await addWithdrawal(db.owner, { userId, units });
  await post(`/api/withdrawals/${id}/approve`, {});
  if (fails) await post(`/api/withdrawals/${id}/settle`, { outcome: 'failed', reason: 'No.', reference });
  else await post(`/api/withdrawals/${id}/settle`, { outcome: 'sent', reference });
  if (day === undefined) return id;
  await db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update withdrawal set sent_at = ${day}::timestamptz where id = ${id}`.execute(tx);
  });
  return id;
}

const line = (reference: string, amount = '10.00', wallet = 'So1Wallet') => `${reference},${amount},${wallet},${time}`;
const csv = (...lines: string[]) => ['reference,amount,wallet,time', ...lines].join('\n');

const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => String(status)).toSorted();

type Difference = { id: string; kind: string; reference: string | null; withdrawal: { id: string } | null };
type Made = { id: string; listed: number; matched: number; differences: number; open: number };

const reconcile = async (list: string, { from = today, to = today, by = ann } = {}) => {
  const { status, json } = await post('/api/withdrawals/reconciliations', { list, from, to }, by);
  return { status, code: json['code'], made: json['reconciliation'] as Made };
};

const differencesOf = async (id: string) => {
  const { json } = await server.call('GET', `/api/withdrawals/differences?reconciliation=${id}&limit=100`, {
    token: ann.token,
  });
  return json['differences'] as Difference[];
};

test('a list is compared with what was sent in the period: matched, missing, unexpected, and differing rows', async () => {
  const [missing, amount, wallet, failed] = [
    await sent('missing-1'),
    await sent('amount-1'),
    await sent('wallet-1'),
    await sent('failed-1', { fails: true }),
  ];
  await sent('matched-1');
  await sent('before', { day: '2026-01-05T00:00:00Z' });
  await sent('earlier', { day: '2026-01-06T12:00:00Z' });
  const stream = await openStream(server.address, { authorization: `Bearer ${bea.token}` });
  const list = csv(
    line('matched-1'),
    line('amount-1', '10.000001'),
    line('wallet-1', '10', 'Another'),
    line('failed-1'),
    line('nobody-1'),
    line('earlier'),
  );
  const { status, made } = await reconcile(list);
  expect(status).toBe(200);
  expect(made).toMatchObject({ madeBy: 'ann', from: today, to: today, listed: 6, matched: 2, differences: 5, open: 5 });
  await stream.heard({ feature: 'withdrawals', id: 'reconciliation' });
  await stream.close();
  const found = await differencesOf(made.id);
  const named = found.map(({ kind, reference, withdrawal }) => [kind, reference, withdrawal?.id ?? null]);
  expect(new Set(named.map((row) => JSON.stringify(row)))).toEqual(
    new Set(
      [
        ['missing', 'missing-1', missing],
        ['amount', 'amount-1', amount],
        ['wallet', 'wallet-1', wallet],
        ['unexpected', 'failed-1', failed],
        ['unexpected', 'nobody-1', null],
      ].map((row) => JSON.stringify(row)),
    ),
  );
  await expectSound();
});

test('the period includes its first and last day, and transfers sent before it are not missing', async () => {
  await sent('first-moment', { day: '2026-02-01T00:00:00Z' });
  await sent('last-moment', { day: '2026-02-02T23:59:59.999Z' });
  await sent('too-early', { day: '2026-01-31T23:59:59.999Z' });
  await sent('too-late', { day: '2026-02-03T00:00:00Z' });
  const { made } = await reconcile(csv(line('of-nobody')), { from: '2026-02-01', to: '2026-02-02' });
  const missing = (await differencesOf(made.id)).filter(({ kind }) => kind === 'missing');
  expect(new Set(missing.map(({ reference }) => reference))).toEqual(new Set(['first-moment', 'last-moment']));
});

test('the same list is compared once, even by two administrators at the same time', async () => {
  const list = csv(line('only-once'));
  const answers = await Promise.all([reconcile(list), reconcile(list, { by: bea })]);
  expect(statusesOf(answers)).toEqual(['200', '409']);
  expect((await reconcile(list)).code).toBe('ListKnown');
});

test.each([
  ['', 'ListInvalid'],
  ['reference,amount,wallet\na,1,w', 'ListInvalid'],
  [csv(), 'ListInvalid'],
  [csv(line('a'), line('b', 'ten')), 'ListInvalid'],
  [csv(line('a'), line('a')), 'ListInvalid'],
])('the list %j is refused', async (list, code) => {
  expect(await reconcile(list)).toMatchObject({ status: 422, code });
});

test('a list of the longest size is compared, and a longer one is refused', async () => {
  const long = csv(...Array.from({ length: 600 }, (_, number) => line(`long-${number}`)));
  const { status, made } = await reconcile(long.padEnd(60_000, ' '), { from: '2025-01-01', to: '2025-01-01' });
  expect({ status, listed: made.listed }).toEqual({ status: 200, listed: 600 });
  expect((await reconcile(long.padEnd(60_001, ' '))).status).toBe(400);
});

test('a period that ends before it starts is refused', async () => {
  expect(await reconcile(csv(line('x')), { from: '2026-02-02', to: '2026-02-01' })).toMatchObject({
    status: 422,
    code: 'PeriodInvalid',
  });
});

test('a difference stays open until an administrator closes it with a note, once, and that is audited', async () => {
  const { made } = await reconcile(csv(line('to-close')), { from: '2025-02-01', to: '2025-02-01' });
  const [difference] = await differencesOf(made.id);
  const path = `/api/withdrawals/differences/${difference?.id}/close`;
  expect((await post(path, { note: ' ' })).status).toBe(400);
  const answers = await Promise.all([post(path, { note: 'A refund of ours.' }), post(path, { note: 'Mine.' }, bea)]);
  expect(statusesOf(answers)).toEqual(['200', '409']);
  const closed = answers.find(({ status }) => status === 200);
  expect(closed?.json['difference']).toMatchObject({
    closedAt: expect.stringMatching(/Z$/),
    closedBy: expect.any(String),
    note: expect.any(String),
  });
  const { rows } = await sql<{ action: string }>`
    select action from audit_entry where subject_id = ${difference?.id}`.execute(db.owner);
  expect(rows).toEqual([{ action: 'withdrawals.close-difference' }]);
  const open = await server.call('GET', '/api/withdrawals/differences?only=open&limit=100', { token: ann.token });
  expect((open.json['differences'] as Difference[]).map(({ id }) => id)).not.toContain(difference?.id);
  expect(
    (await post('/api/withdrawals/differences/019c0000-0000-7000-8000-000000000000/close', { note: 'x' })).json,
  ).toMatchObject({ code: 'DifferenceNotFound' });
});

test('the comparisons are listed with their differences, newest first, a page at a time', async () => {
  const page = async (cursor = '') =>
    (await server.call('GET', `/api/withdrawals/reconciliations?limit=2${cursor}`, { token: ann.token })).json;
  const first = await page();
  const ids = (first['reconciliations'] as Made[]).map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted().toReversed());
  const second = await page(`&cursor=${String(first['nextCursor'])}`);
  expect((second['reconciliations'] as Made[]).map(({ id }) => id)).not.toContain(ids[0]);
});

test('a stored difference is never changed or deleted', async () => {
  await expect(sql`delete from reconciliation_item`.execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
  const change = sql`update reconciliation_item set reference = 'x' where closed_at is null`;
  await expect(change.execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
  await expect(sql`update reconciliation set matched = 0`.execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
});

test.each([
  ['Support', 403],
  ['Auditor', 403],
  ['Finance', 200],
] as const)(
  'comparing a list as an Admin narrowed to %s returns %i; reading is for everyone',
  async (set, expected) => {
    const clerk = await addClerk(`only.${set}`, set);
    expect((await reconcile(csv(line(`by-${set}`)), { by: clerk })).status).toBe(expected);
    for (const path of ['reconciliations', 'differences']) {
      expect((await server.call('GET', `/api/withdrawals/${path}`, { token: clerk.token })).status).toBe(200);
    }
  },
);

test('the same list can be compared again for another period, and a period has a maximum length', async () => {
  const list = csv(line('two-periods'));
  await sent('two-periods');
  expect(await reconcile(list, { from: '2020-01-01', to: '2020-01-31' })).toMatchObject({ status: 200 });
  expect(await reconcile(list, { from: '2020-01-01', to: '2020-01-31' })).toMatchObject({ code: 'ListKnown' });
  expect(await reconcile(list)).toMatchObject({ status: 200, made: { matched: 1 } });
  for (const [from, to] of [
    ['2020-01-02', '2020-01-01'],
    ['2020-01-01', '2020-04-02'],
  ] as const) {
    expect(await reconcile(`${list}\n`, { from, to })).toMatchObject({ status: 422, code: 'PeriodInvalid' });
  }
  expect(await reconcile(`${list}\n`, { from: '2020-01-01', to: '2020-04-01' })).toMatchObject({ status: 200 });
});

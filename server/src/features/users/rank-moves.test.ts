import { randomUUID } from 'node:crypto';
import { checkedAtMost } from 'contract/ranks.ts';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf } from '#server/core/testing/runs.ts';
import { approved, decideOn } from '#server/core/testing/second.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());
const fin = await addAdmin(db.database, { username: 'fin', permissionSet: 'Finance' });
const token = await server.signIn('fin');
const bea = await addAdmin(db.database, { username: 'bea', permissionSet: 'Finance' });
const beaToken = await server.signIn('bea');

const dollar = 1_000_000n;
type MemberParams = { rank?: 'none' | 'Silver' | 'Gold' | 'Platinum'; referrals?: number; dollars?: bigint };

/** Adds a user, by default one who reaches Gold with the default thresholds. */
async function addMover({ rank = 'none', referrals = 23, dollars = 12_400n }: MemberParams = {}) {
  const user = await addUser(db.owner, { rank });
  await sql`insert into team (user_id, referral_count, volume_usd)
    values (${user.id}, ${referrals}, ${dollars * dollar})`.execute(db.owner);
  return user;
}

type Move = { id: string; to: string };
type Outcome = {
  requested: number;
  stayed: { id: string; username: string | null; why: string }[];
  waiting: { approval: string; facts: { key: string; value: string }[]; requestedBy: string } | null;
};

const promote = (moves: Move[], { version = 1, as = token, on = server } = {}) =>
  on.call('POST', '/api/users/rank-moves', { token: as, body: { version, moves } });

/** Requests the promotions, and a second approver approves them. */
async function promoteTogether(moves: Move[]) {
  const answer = await promote(moves);
  await approved(server, answer, beaToken);
  return answer.json as unknown as Outcome;
}

const rankOf = async (id: string) =>
  (await db.owner.selectFrom('platformUser').select('rank').where('id', '=', id).executeTakeFirstOrThrow()).rank;

const changesOf = (id: string) =>
  db.owner
    .selectFrom('rankChange')
    .select(['fromRank', 'toRank', 'reason', 'madeBy', 'approvedBy'])
    .where('userId', '=', id)
    .execute();

beforeEach(async () => {
  await sql`update team set referral_count = 0`.execute(db.owner);
});

test('two users are promoted together with a second approver, and the history and the audit log have the figures they reached', async () => {
  const gold = await addMover();
  const silver = await addMover({ referrals: 1_005, dollars: 1_000n });
  const { json } = await server.call('GET', '/api/users/rank-moves', { token });
  const shown = json['moves'] as Move[];
  expect(shown).toMatchObject([
    { id: silver.id, from: 'none', to: 'Silver', referralCount: 1_005, totalTeamVolumeUSD: '1000.00' },
    { id: gold.id, from: 'none', to: 'Gold', referralCount: 23, totalTeamVolumeUSD: '12400.00' },
  ]);
  const { waiting, ...outcome } = (await promote(shown.map(({ id, to }) => ({ id, to })))).json as unknown as Outcome;
  expect(outcome).toEqual({ requested: 2, stayed: [] });
  expect(waiting).toMatchObject({ requestedBy: 'fin' });
  expect(waiting?.facts).toEqual([
    { key: 'users', value: '2' },
    { key: 'promotion', value: `${gold.userId} Gold` },
    { key: 'promotion', value: `${silver.userId} Silver` },
    { key: 'version', value: '1' },
  ]);
  expect((await decideOn(server, waiting?.approval ?? '', { token })).json['code']).toBe('OwnRequest');
  expect([await rankOf(gold.id), await rankOf(silver.id)]).toEqual(['none', 'none']);
  expect((await decideOn(server, waiting?.approval ?? '', { token: beaToken })).status).toBe(200);

  const reason = 'Reached Gold: 23 direct referrals, 12,400.00 USD team volume (thresholds version 1)';
  expect(await changesOf(gold.id)).toEqual([
    { fromRank: 'none', toRank: 'Gold', reason, madeBy: fin.id, approvedBy: bea.id },
  ]);
  expect((await changesOf(silver.id))[0]?.reason).toContain('Silver: 1,005 direct referrals, 1,000.00 USD team volume');
  const audited = await db.owner
    .selectFrom('auditEntry')
    .select(['actorId', 'action', 'details'])
    .where('subjectId', '=', gold.id)
    .orderBy('seq')
    .execute();
  expect(audited).toMatchObject([
    { actorId: fin.id, action: 'users.request-promotion' },
    { actorId: fin.id, action: 'users.promote' },
  ]);
  const ranks = { before: { rank: 'none' }, after: { rank: 'Gold' } };
  expect(JSON.parse(audited[1]?.details ?? '')).toEqual({ reason, ...ranks, approvedBy: bea.id });
  expect((await server.call('GET', '/api/users/rank-moves', { token })).json).toMatchObject({ moves: [], version: 1 });
});

test('no promotion is requested for users who no longer qualify, and the response says why', async () => {
  const stays = await addMover({ rank: 'Platinum' });
  const falls = await addMover({ referrals: 19 });
  const blacklisted = await addMover();
  const deleted = await addMover();
  await db.owner.transaction().execute(async (tx) => {
    await sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'Fraud' where id = ${blacklisted.id}`.execute(
      tx,
    );
    await sql`update platform_user set retired_at = now() where id = ${deleted.id}`.execute(tx);
  });
  const moves = await addMover({ rank: 'Silver' });
  const unknown = randomUUID();
  const ids = [stays.id, falls.id, blacklisted.id, deleted.id, moves.id, unknown];
  const { waiting, ...outcome } = await promoteTogether(ids.map((id) => ({ id, to: 'Gold' })));
  expect(waiting?.facts).toContainEqual({ key: 'promotion', value: `${moves.userId} Gold` });
  expect(outcome).toEqual({
    requested: 1,
    stayed: [
      { id: stays.id, username: stays.username, why: 'held' },
      { id: falls.id, username: falls.username, why: 'reach' },
      { id: blacklisted.id, username: blacklisted.username, why: 'blacklisted' },
      { id: deleted.id, username: deleted.username, why: 'deleted' },
      { id: unknown, username: null, why: 'deleted' },
    ],
  });
  expect(await rankOf(moves.id)).toBe('Gold');
  expect(await rankOf(stays.id)).toBe('Platinum');
  for (const { id } of [stays, falls, blacklisted, deleted]) expect(await changesOf(id)).toEqual([]);
});

test('users who no longer qualify when a second approver approves keep their rank', async () => {
  const [falls, blacklisted, moves] = [await addMover(), await addMover(), await addMover()];
  const { json } = await promote([falls, blacklisted, moves].map(({ id }) => ({ id, to: 'Gold' })));
  await sql`update team set referral_count = 19 where user_id = ${falls.id}`.execute(db.owner);
  await sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'Fraud'
    where id = ${blacklisted.id}`.execute(db.owner);
  await approved(server, { json }, beaToken);
  expect(await rankOf(moves.id)).toBe('Gold');
  for (const { id } of [falls, blacklisted]) {
    expect(await rankOf(id)).toBe('none');
    expect(await changesOf(id)).toEqual([]);
  }
});

test('nothing is requested if none of the users qualifies', async () => {
  const { id, username } = await addMover({ rank: 'Gold' });
  const stayed = [{ id, username, why: 'held' }];
  expect((await promote([{ id, to: 'Gold' }])).json).toEqual({ requested: 0, stayed, waiting: null });
});

test('two concurrent approvals for the same users promote each user once, without a deadlock', async () => {
  const users = [];
  for (let index = 0; index < 20; index += 1) users.push(await addMover());
  const moves = users.map(({ id }) => ({ id, to: 'Gold' }));
  const answers = await Promise.all([promote(moves), promote(moves.toReversed(), { on: second })]);
  const requests = answers.map(({ json }) => json as unknown as Outcome);
  expect(requests.map(({ requested }) => requested)).toEqual([20, 20]);
  const decided = await Promise.all(
    requests.map(({ waiting }, index) =>
      decideOn(index === 0 ? server : second, waiting?.approval ?? '', { token: beaToken }),
    ),
  );
  expect(decided.map(({ status }) => status)).toEqual([200, 200]);
  for (const { id } of users) expect(await changesOf(id)).toHaveLength(1);
});

test('a user listed twice is promoted once', async () => {
  const { id } = await addMover();
  const twice = [
    { id, to: 'Gold' },
    { id, to: 'Gold' },
  ];
  expect(await promoteTogether(twice)).toMatchObject({ requested: 1, stayed: [] });
  expect(await changesOf(id)).toHaveLength(1);
});

test('a promotion with another version of the thresholds is refused', async () => {
  const { id } = await addMover();
  const { status, json } = await promote([{ id, to: 'Gold' }], { version: 2 });
  expect([status, json['code']]).toEqual([409, 'ThresholdsChanged']);
  expect(await rankOf(id)).toBe('none');
});

test('a promotion is not approved after the thresholds have changed', async () => {
  const { id } = await addMover();
  const { json } = await promote([{ id, to: 'Gold' }]);
  const { approval } = (json as unknown as Outcome).waiting ?? { approval: '' };
  const { settings } = (await server.call('GET', '/api/jobs/rank-promotion', { token })).json;
  await runsOf(db).save('rank-promotion', settings as object);
  expect((await decideOn(server, approval, { token: beaToken })).json['code']).toBe('ApprovalVoid');
  expect(await rankOf(id)).toBe('none');
});

test('promoting needs the permission and one to a hundred users, and every administrator can read the moves', async () => {
  await addAdmin(db.database, { username: 'sup', permissionSet: 'Support' });
  const as = await server.signIn('sup');
  const { id } = await addMover();
  expect((await promote([{ id, to: 'Gold' }], { as })).status).toBe(403);
  expect((await server.call('GET', '/api/users/rank-moves', { token: as })).status).toBe(200);
  expect((await server.call('GET', '/api/users/rank-moves/figures', { token: as })).status).toBe(200);
  const tooMany = Array.from({ length: 101 }, () => ({ id: randomUUID(), to: 'Gold' }));
  expect((await promote(tooMany)).status).toBe(400);
  expect((await promote([])).status).toBe(400);
});

test('beyond ten thousand moves the figures cover the first of the list and are marked as capped', async () => {
  await runsOf(db).save('rank-bonus', { rank: 'Platinum', bonusAmount: '2.50' });
  await sql`
    with added as (
      insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code)
      select 'M-' || n, 'mover.' || n, 'wallet-m-' || n, 'sol-m-' || n, 'MOVER' || n
      from generate_series(1, 10001) as n returning id, user_id
    )
    insert into team (user_id, referral_count, volume_usd)
    select id, case user_id when 'M-1' then 5 else 50 end, 100000 * 1000000::bigint from added`.execute(db.owner);
  const figures = await server.call('GET', '/api/users/rank-moves/figures', { token });
  expect(figures.json).toMatchObject({
    total: { count: 10_000, capped: true },
    steps: [{ from: 'none', to: 'Platinum', count: 10_000 }],
    rankBonus: { rank: 'Platinum', bonusAmount: '2.50', perWeek: '25000.00' },
  });
  const page = await server.call('GET', '/api/users/rank-moves?limit=1', { token });
  expect(page.json['total']).toEqual({ count: 10_000, capped: true });
});

test('the total is marked as capped when more users reach a rank than are examined', async () => {
  await sql`alter table team drop constraint team_user_id_fkey`.execute(db.owner);
  await sql`
    insert into team (user_id, referral_count, volume_usd)
    select uuid_v7(), 60, 100000 * 1000000::bigint from generate_series(1, ${checkedAtMost}::int)`.execute(db.owner);
  const figures = async () => (await server.call('GET', '/api/users/rank-moves/figures', { token })).json['total'];
  expect(await figures()).toEqual({ count: 0, capped: false });
  await addMover();
  expect(await figures()).toEqual({ count: 0, capped: true });
});

import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { userById } from './queries.ts';
import { sealSecret } from '#server/core/sealed-secret.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

const read = (id: string) => server.call('GET', `/api/users/${id}`, { token });

const nothingYet = {
  rank: 'none',
  referralCount: 0,
  totalNetwork: 0,
  totalTeamVolumeSOL: '0.00',
  totalTeamVolumeUSD: '0.00',
  referralBonus: '0.00',
  gmpEarnings: '0.00',
  weeklyRankBonusEarnings: '0.00',
  totalStakedEarned: '0.00',
  taskRewards: '0.00',
  totalEarnings: '0.00',
  totalStaked: '0.00',
  totalDeposit: '0.00',
  totalWithdrawals: '0.00',
  withdrawal: '0.00',
  available: '0.00',
  gmpShares: '0',
  SLX: '0',
};

test('a new user is returned with every field and no others', async () => {
  const { id, userId, username } = await addUser(db.owner, { username: 'newcomer' });
  const { status, json } = await read(id);
  expect(status).toBe(200);
  expect(json).toEqual({
    user: {
      id,
      receivable: '0.00',
      receivableGmp: '0.00',
      userId,
      username,
      role: 'User',
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      isBlacklisted: false,
      blacklistReason: null,
      lastActiveOn: null,
      wallet: 'wallet-of-newcomer',
      solWalletAddress: 'sol-of-newcomer',
      solPrivateKey: 'none',
      password: 'none',
      passwordResetAt: null,
      token: 'absent',
      referralCode: expect.any(String),
      referredBy: null,
      photo: null,
      version: 1,
      ...nothingYet,
    },
  });
});

test('figures, team, secrets, photo and sponsor are in the response, each in its unit', async () => {
  const sponsor = await addUser(db.owner, { username: 'sponsor' });
  const { id } = await addUser(db.owner, {
    username: 'earner',
    role: 'Admin',
    rank: 'Gold',
    sponsorId: sponsor.id,
    lastActiveOn: '2026-03-01',
    blacklistedAt: new Date(),
    blacklistReason: 'Chargeback',
  });
  await db.owner.transaction().execute(async (tx) => {
    const earned = { referralBonusUsd: 1_500_000n, weeklyRankBonusUsd: 20_000_001n, stakedEarnedUsd: 300_000_000n };
    const moved = {
      taskRewardsUsd: 4_000_000n,
      gmpEarnings: 7_654_321n,
      stakedUsd: 5_000_000n,
      depositUsd: 6_000_000n,
    };
    const left = { withdrawnUsd: 7_000_000n, withdrawingUsd: 8_000_000n, availableUsd: 9_000_000n };
    const totals = { ...earned, ...moved, ...left, gmpShares: 11n, slx: 12n };
    await tx.updateTable('userTotal').set(totals).where('userId', '=', id).execute();
    const volumes = { volumeSol: 2_500_000_000n, volumeUsd: 99_000_000n };
    await tx
      .insertInto('team')
      .values({ userId: id, referralCount: 3n, totalNetwork: 1_000_000n, ...volumes })
      .execute();
    const place = { table: 'user_secret', id, column: 'sol_private_key' } as const;
    const solPrivateKey = sealSecret(db.config.secretsKey, place, 'key');
    const secrets = { solPrivateKey, passwordHash: 'hash', tokenDigest: randomBytes(32) };
    await tx
      .insertInto('userSecret')
      .values({ userId: id, ...secrets })
      .execute();
    await tx
      .insertInto('userPhoto')
      .values({ userId: id, webp: Buffer.from('drawn'), digest: 'd1g3st' })
      .execute();
  });
  expect((await read(id)).json['user']).toMatchObject({
    role: 'Admin',
    rank: 'Gold',
    referredBy: { ...sponsor, isDeleted: false },
    lastActiveOn: '2026-03-01',
    isBlacklisted: true,
    blacklistReason: 'Chargeback',
    referralBonus: '1.50',
    weeklyRankBonusEarnings: '20.000001',
    totalStakedEarned: '300.00',
    taskRewards: '4.00',
    totalEarnings: '325.500001',
    gmpEarnings: '7.654321',
    totalStaked: '5.00',
    totalDeposit: '6.00',
    totalWithdrawals: '7.00',
    withdrawal: '8.00',
    available: '9.00',
    gmpShares: '11',
    SLX: '12',
    referralCount: 3,
    totalNetwork: 1_000_000,
    totalTeamVolumeSOL: '2.50',
    totalTeamVolumeUSD: '99.00',
    solPrivateKey: 'held',
    password: 'set',
    token: 'present',
    photo: 'd1g3st',
  });
});

test('a deleted sponsor is marked as deleted', async () => {
  const sponsor = await addUser(db.owner, { retiredAt: new Date() });
  const { id } = await addUser(db.owner, { sponsorId: sponsor.id });
  expect((await read(id)).json['user']).toMatchObject({ referredBy: { ...sponsor, isDeleted: true } });
});

test('a deleted user, an unknown user and an invalid id are refused', async () => {
  const { id } = await addUser(db.owner, { retiredAt: new Date() });
  for (const missing of [id, '019c0000-0000-7000-8000-000000000000']) {
    const { status, json } = await read(missing);
    expect([status, json['error']]).toEqual([404, 'User not found.']);
  }
  expect((await read('nobody')).status).toBe(400);
});

type Node = { 'Node Type': string; 'Actual Rows': number; Plans?: Node[] };

test('a profile is read by keys, one row per table, regardless of the size of the team', async () => {
  const { id } = await addUser(db.owner, { username: 'the.sponsor' });
  await sql`
    insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code, sponsor_id)
    select 'T' || n, 'team.' || n, 'w', 's', 'TEAM' || n, ${id}::uuid from generate_series(1, 20000) as n`.execute(
    db.owner,
  );
  for (const table of ['team', 'user_secret']) {
    const into = sql.table(table);
    await sql`insert into ${into} (user_id) select id from platform_user on conflict do nothing`.execute(db.owner);
  }
  await sql`
    insert into user_photo (user_id, webp, digest)
    select id, '', 'digest' from platform_user on conflict do nothing`.execute(db.owner);
  await sql`analyze`.execute(db.owner);
  const explained: unknown[] = await userById(db.database, id).explain('json', sql`analyze`);
  const [{ 'QUERY PLAN': plans }] = explained as [{ 'QUERY PLAN': [{ Plan: Node }] }];
  const scans = nodesOf(plans[0].Plan).filter((node) => node['Node Type'].includes('Scan'));
  expect(scans.map((node) => node['Node Type'])).toEqual(Array.from({ length: 6 }, () => 'Index Scan'));
  for (const scan of scans) expect(scan['Actual Rows']).toBeLessThanOrEqual(1);
});

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

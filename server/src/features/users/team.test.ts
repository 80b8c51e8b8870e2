import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { propertyRuns } from '#server/core/testing/property-runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { foldTeams } from './team-jobs.ts';
import { foldTeamDeltas } from './team-queries.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

type Team = { referralCount: bigint; totalNetwork: bigint; volumeSol: bigint; volumeUsd: bigint };
const emptyTeam: Team = { referralCount: 0n, totalNetwork: 0n, volumeSol: 0n, volumeUsd: 0n };

const join = async (sponsorId: string | null = null) => (await addUser(db.owner, { sponsorId })).id;

async function joinChain(length: number) {
  const ids: string[] = [];
  for (let level = 0; level < length; level += 1) ids.push(await join(ids.at(-1) ?? null));
  return ids;
}

const stake = (id: string, sol: bigint, usd: bigint) =>
  sql`insert into team_delta (user_id, members, volume_sol, volume_usd) values (${id}, 0, ${sol}, ${usd})`.execute(
    db.owner,
  );

const setSponsor = (id: string, sponsorId: string) =>
  sql`update platform_user set sponsor_id = ${sponsorId} where id = ${id}`.execute(db.owner);

const waiting = async () => (await db.owner.selectFrom('teamDelta').select('userId').execute()).length;

async function teamOf(id: string): Promise<Team> {
  const columns = ['referralCount', 'totalNetwork', 'volumeSol', 'volumeUsd'] as const;
  return (await db.owner.selectFrom('team').select(columns).where('userId', '=', id).executeTakeFirst()) ?? emptyTeam;
}

const fold = (rows?: number) => foldTeams(db.worker, rows === undefined ? {} : { rows, batches: 1_000 });

/** A reference implementation that counts the teams in memory. */
class Reference {
  readonly teams = new Map<string, Team>();
  readonly sponsors = new Map<string, string | null>();

  join(id: string, sponsorId: string | null) {
    this.sponsors.set(id, sponsorId);
    this.teams.set(id, { ...emptyTeam });
    this.#addAbove(id, { members: 1n, sol: 0n, usd: 0n });
  }

  stake(id: string, sol: bigint, usd: bigint) {
    this.#addAbove(id, { members: 0n, sol, usd });
  }

  #addAbove(id: string, { members, sol, usd }: { members: bigint; sol: bigint; usd: bigint }) {
    const sponsor = this.sponsors.get(id) ?? null;
    for (let above = sponsor; above !== null; above = this.sponsors.get(above) ?? null) {
      const team = this.teams.get(above);
      if (!team) throw new Error('A sponsor joined after the one they sponsor.');
      if (above === sponsor) team.referralCount += members;
      team.totalNetwork += members;
      team.volumeSol += sol;
      team.volumeUsd += usd;
    }
  }
}

const events = fc.array(
  fc.oneof(
    // A new user is sponsored by an earlier one or has no sponsor.
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('join' as const), sponsor: fc.nat(30) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('stake' as const),
        who: fc.nat(30),
        sol: fc.bigInt(-1_000_000_000n, 9_000_000_000_000n),
        usd: fc.bigInt(-1_000_000n, 9_000_000_000n),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('fold' as const), rows: fc.integer({ min: 1, max: 7 }) }) },
  ),
  { maxLength: 40 },
);

test('after any joins and stakes, folded in any batches, the teams match the reference', async () => {
  await fc.assert(
    fc.asyncProperty(events, fc.integer({ min: 1, max: 9 }), async (happening, rows) => {
      const reference = new Reference();
      const ids: string[] = [];
      for (const event of happening) {
        if (event.kind === 'fold') await fold(event.rows);
        if (event.kind === 'join') {
          const sponsorId = ids[event.sponsor % (ids.length + 1)] ?? null;
          const id = await join(sponsorId);
          ids.push(id);
          reference.join(id, sponsorId);
        }
        const who = event.kind === 'stake' && ids[event.who % Math.max(1, ids.length)];
        if (event.kind === 'stake' && who) {
          await stake(who, event.sol, event.usd);
          reference.stake(who, event.sol, event.usd);
        }
      }
      await fold(rows);
      expect(await waiting()).toBe(0);
      for (const id of ids) expect(await teamOf(id)).toEqual(reference.teams.get(id));
    }),
    propertyRuns({ gate: 40, thorough: 150 }),
  );
}, 300_000);

test('a stake below thirty levels is counted once at each of them', async () => {
  const chain = await joinChain(31);
  await stake(chain.at(-1) ?? '', 5n, 7n);
  await fold();
  for (const [level, id] of chain.entries()) {
    const below = BigInt(chain.length - 1 - level);
    const shares = below > 0n ? { volumeSol: 5n, volumeUsd: 7n } : { volumeSol: 0n, volumeUsd: 0n };
    expect(await teamOf(id)).toEqual({ referralCount: below > 0n ? 1n : 0n, totalNetwork: below, ...shares });
  }
});

test('a team of many is counted in batches', async () => {
  const top = await join();
  await sql`
    with added as (
      insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code, sponsor_id)
      select 'B' || n, 'bulk' || n, 'w', 'w', 'BULK' || n, ${top}::uuid from generate_series(1, 5000) as n returning id
    )
    insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code, sponsor_id)
    select 'C' || n, 'below' || n, 'w', 'w', 'BELOW' || n, id
    from (select id, row_number() over () as n from added) as sponsor`.execute(db.owner);
  await fold(999);
  expect(await teamOf(top)).toEqual({ ...emptyTeam, referralCount: 5000n, totalNetwork: 10_000n });
});

test('folding ends in a circle of sponsors and counts once for each of them', async () => {
  const [first = '', second = '', third = ''] = await joinChain(3);
  const tail = await join(third);
  await fold();
  await setSponsor(first, third);
  await stake(second, 10n, 0n);
  await stake(tail, 1n, 0n);
  await fold();
  // A stake within the circle counts for its other members; the stake of the tail counts for all of them.
  expect((await teamOf(first)).volumeSol).toBe(11n);
  expect((await teamOf(second)).volumeSol).toBe(1n);
  expect((await teamOf(third)).volumeSol).toBe(11n);
  await setSponsor(first, first);
  await stake(first, 100n, 0n);
  await fold();
  expect(await waiting()).toBe(0);
  expect((await teamOf(first)).volumeSol).toBe(11n);
});

test('folding stops after a thousand levels', async () => {
  await sql`
    insert into platform_user (id, user_id, username, wallet, sol_wallet_address, referral_code, sponsor_id)
    select lpad(n::text, 32, '0')::uuid, 'L' || n, 'long' || n, 'w', 'w', 'LONG' || n,
      case when n > 1 then lpad((n - 1)::text, 32, '0')::uuid end
    from generate_series(1, 1003) as n`.execute(db.owner);
  await sql`delete from team_delta`.execute(db.owner);
  const numbered = (n: number) => sql<string>`lpad(${n}::text, 32, '0')::uuid`;
  await sql`insert into team_delta values (${numbered(1003)}, 0, 3, 0)`.execute(db.owner);
  await fold();
  const { rows } = await sql<{ teams: bigint; top: boolean }>`
    select count(*) as teams, bool_or(username = 'long2') as top
    from team join platform_user on platform_user.id = team.user_id where username like 'long%'`.execute(db.owner);
  expect(rows).toEqual([{ teams: 1_000n, top: false }]);
});

test('rows that a worker took but did not finish are still waiting', async () => {
  const sponsor = await join();
  await join(sponsor);
  const before = await waiting();
  const undone = db.worker.transaction().execute(async (tx) => {
    expect(await foldTeamDeltas(tx, 10_000)).toBe(before);
    throw new Error('The machine stopped.');
  });
  await expect(undone).rejects.toThrow('The machine stopped.');
  expect(await waiting()).toBe(before);
  await fold();
  expect((await teamOf(sponsor)).totalNetwork).toBe(1n);
});

test('nothing is lost or counted twice while several workers fold and users join', async () => {
  const roots = await Promise.all([join(), join()]);
  let writing = true;
  const folding = Array.from({ length: 3 }, async () => {
    while (writing) await fold(5);
  });
  const members = await Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      let last = roots[writer % 2] ?? null;
      for (let step = 0; step < 40; step += 1) {
        last = await join(last);
        await stake(last, 1n, 2n);
      }
    }),
  );
  writing = false;
  await Promise.all(folding);
  await fold();
  expect(members).toHaveLength(4);
  for (const root of roots) {
    expect(await teamOf(root)).toEqual({ referralCount: 2n, totalNetwork: 80n, volumeSol: 80n, volumeUsd: 160n });
  }
});

type Member = { id: string; username: string; referralCount: number };
type Answer = { team: Member[]; sponsors: Member[]; cut: boolean; nextCursor: string | null; total: unknown };

async function readPart(id: string, part: 'team' | 'sponsors', query: Record<string, string> = {}) {
  const search = new URLSearchParams(query).toString();
  const { status, json } = await server.call('GET', `/api/users/${id}/${part}?${search}`, { token });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as unknown as Answer;
}

test('a team is listed in pages, oldest first, with the figures of each member', async () => {
  const top = await join();
  const members: string[] = [];
  for (let one = 0; one < 7; one += 1) members.push(await join(top));
  const grandchild = await join(members[2] ?? '');
  await stake(grandchild, 1_500_000_000n, 2_500_000n);
  await sql`update platform_user set retired_at = now(), rank = 'Gold' where id = ${members[2]}`.execute(db.owner);
  await fold();

  const first = await readPart(top, 'team', { limit: '4' });
  const second = await readPart(top, 'team', { limit: '4', cursor: first.nextCursor ?? '' });
  expect([...first.team, ...second.team].map(({ id }) => id)).toEqual(members);
  expect(second.nextCursor).toBeNull();
  expect(first.total).toEqual({ count: 7, capped: false });
  expect(first.team[2]).toEqual({
    id: members[2],
    userId: expect.stringMatching(/^P-\d+$/),
    username: expect.stringMatching(/^user\.\d+$/),
    rank: 'Gold',
    createdAt: expect.stringMatching(/Z$/),
    isBlacklisted: false,
    isDeleted: true,
    referralCount: 1,
    totalNetwork: 1,
    totalTeamVolumeSOL: '1.50',
    totalTeamVolumeUSD: '2.50',
  });
  expect(first.team[0]).toMatchObject({ referralCount: 0, totalNetwork: 0, totalTeamVolumeSOL: '0.00' });
  expect((await readPart(members[2] ?? '', 'team')).team.map(({ id }) => id)).toEqual([grandchild]);
});

test('the sponsors of a user are listed nearest first, at most fifty', async () => {
  const chain = await joinChain(53);
  const upward = chain.toReversed();
  expect(await readPart(chain[0] ?? '', 'sponsors')).toEqual({ sponsors: [], cut: false });
  const whole = await readPart(upward[2] ?? '', 'sponsors');
  expect(whole.sponsors.map(({ id }) => id)).toEqual(upward.slice(3));
  expect(whole.cut).toBe(false);
  const long = await readPart(upward[0] ?? '', 'sponsors');
  expect(long.sponsors.map(({ id }) => id)).toEqual(upward.slice(1, 51));
  expect(long.cut).toBe(true);
});

test('a circle of sponsors is cut where it repeats', async () => {
  const [first = '', second = '', third = ''] = await joinChain(3);
  const tail = await join(third);
  await setSponsor(first, third);
  const ids = async (id: string) => {
    const { sponsors, cut } = await readPart(id, 'sponsors');
    return { ids: sponsors.map((sponsor) => sponsor.id), cut };
  };
  expect(await ids(third)).toEqual({ ids: [second, first], cut: true });
  expect(await ids(tail)).toEqual({ ids: [third, second, first], cut: true });
  await setSponsor(first, first);
  expect(await ids(first)).toEqual({ ids: [], cut: true });
});

test('an unknown user, an invalid cursor and a missing session are refused', async () => {
  const missing = '019c0000-0000-7000-8000-000000000000';
  for (const part of ['team', 'sponsors']) {
    const { status, json } = await server.call('GET', `/api/users/${missing}/${part}`, { token });
    expect(status).toBe(404);
    expect(json).toMatchObject({ code: 'UserNotFound', error: 'User not found.' });
  }
  const id = await join();
  expect((await server.call('GET', `/api/users/${id}/team?cursor=x`, { token })).status).toBe(422);
  expect((await server.call('GET', `/api/users/${id}/team`)).status).toBe(401);
});

import { randomUUID } from 'node:crypto';
import type { FindingKind } from 'contract/referrals.ts';
import { parseAmount } from 'contract/core/money.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { propertyRuns } from '#server/core/testing/property-runs.ts';
import { treeOf } from '#server/core/testing/tree.ts';

const environment = await testEnvironment();
const { owner } = environment.db;
const tree = await treeOf(environment);

type Figures = { members: bigint; sol: bigint; usd: bigint };
type TreeUser = {
  id: string;
  sponsor: TreeUser | undefined;
  joined: number;
  wallets: [string, string];
  isDeleted: boolean;
  isBlacklisted: boolean;
  staked: Figures;
  waiting: Figures;
  damage: Figures & { referrals: bigint };
};

const figures = fc.record({
  members: fc.bigInt(-3n, 3n),
  sol: fc.bigInt(-9_000_000_000n, 9_000_000_000n),
  usd: fc.bigInt(-9_000_000n, 9_000_000n),
});
const none: Figures = { members: 0n, sol: 0n, usd: 0n };
const seldom = <T>(chosen: fc.Arbitrary<T>, otherwise: T) =>
  fc.oneof({ weight: 1, arbitrary: chosen }, { weight: 3, arbitrary: fc.constant(otherwise) });
const few = fc.nat(40).map((n) => `Wa11et${n}`);

const drawn = fc.record({
  // Any user can be the sponsor, also one who joined later or the user themselves, so every kind of circle occurs.
  sponsor: fc.option(fc.nat(60), { freq: 5 }),
  joined: fc.nat(4),
  wallets: fc.tuple(few, few),
  isDeleted: seldom(fc.boolean(), false),
  isBlacklisted: seldom(fc.boolean(), false),
  staked: seldom(fc.record({ sol: fc.bigInt(0n, 9n), usd: fc.bigInt(1n, 9_000_000n) }), { sol: 0n, usd: 0n }),
  waiting: seldom(figures, none),
  damage: seldom(
    fc.record({
      referrals: fc.bigInt(-2n, 2n),
      members: fc.bigInt(-2n, 2n),
      sol: fc.bigInt(-2n, 2n),
      usd: fc.bigInt(-2n, 2n),
    }),
    { ...none, referrals: 0n },
  ),
});

function usersOf(all: (typeof drawn extends fc.Arbitrary<infer D> ? D : never)[]) {
  const users: TreeUser[] = all.map(({ staked, ...one }) => ({
    ...one,
    id: randomUUID(),
    sponsor: undefined,
    staked: { members: 1n, ...staked },
  }));
  for (const [index, { sponsor }] of all.entries()) {
    const user = users[index];
    if (user && sponsor !== null) user.sponsor = users[sponsor % users.length];
  }
  return users;
}

/** A plain implementation: a user is below every user on the way up, and counts once. */
class Reference {
  readonly users: readonly TreeUser[];
  readonly #above = new Map<TreeUser, Set<TreeUser>>();

  constructor(users: readonly TreeUser[]) {
    this.users = users;
    for (const user of users) {
      const above = new Set<TreeUser>();
      for (let { sponsor } = user; sponsor && !above.has(sponsor); { sponsor } = sponsor) above.add(sponsor);
      this.#above.set(user, above);
    }
  }

  #isAbove(one: TreeUser, other: TreeUser) {
    return this.#above.get(other)?.has(one) ?? false;
  }

  /** Sums the figures of all users below one user. */
  below(one: TreeUser, of: (user: TreeUser) => Figures) {
    const sum = { referrals: 0n, ...none };
    for (const user of this.users) {
      if (user === one || !this.#isAbove(one, user)) continue;
      const { members, sol, usd } = of(user);
      if (user.sponsor === one) sum.referrals += members;
      sum.members += members;
      sum.sol += sol;
      sum.usd += usd;
    }
    return sum;
  }

  circles() {
    const inside = this.users.filter((user) => this.#isAbove(user, user) && user.sponsor !== user);
    return inside.map((user) => {
      const around = inside.filter((other) => this.#isAbove(user, other) && this.#isAbove(other, user));
      return idsOf(around);
    });
  }

  shared() {
    const users = new Map<string, TreeUser[]>();
    for (const user of this.users)
      for (const wallet of new Set(user.wallets)) users.set(wallet, [...(users.get(wallet) ?? []), user]);
    return [...users].filter(([, those]) => those.length > 1).map(([wallet, those]) => `${wallet}: ${idsOf(those)}`);
  }
}

const idsOf = (users: readonly { id: string }[]) =>
  users
    .map(({ id }) => id)
    .toSorted()
    .join(' ');
const distinct = (values: readonly string[]) => [...new Set(values)].toSorted();

/** Replaces all users and counters by those of the reference. Only the owner can, with the triggers disabled. */
function storeUsers(reference: Reference) {
  return owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const table of ['referral_correction', 'stake', 'team', 'team_delta', 'platform_user'])
      await sql`delete from ${sql.id(table)}`.execute(tx);
    for (const user of reference.users) {
      const { id, sponsor, joined, wallets, isDeleted, isBlacklisted, staked, waiting, damage } = user;
      await sql`
        insert into platform_user (id, user_id, username, wallet, sol_wallet_address, referral_code, sponsor_id,
          created_at, retired_at, blacklisted_at, blacklist_reason)
        values (${id}::uuid, ${id}, ${id}, ${wallets[0]}, ${wallets[1]}, ${id}, ${sponsor?.id ?? null}::uuid,
          '2026-01-01'::date + ${joined}::int, ${isDeleted ? new Date() : null}, ${isBlacklisted ? new Date() : null},
          ${isBlacklisted ? 'Fraud' : null})`.execute(tx);
      if (staked.usd > 0n)
        await sql`insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, ends_on)
          select ${id}, ${id}::uuid, id, ${staked.usd}, ${staked.sol}, days, daily_rate_ppm, now() from stake_plan limit 1`.execute(
          tx,
        );
      await sql`insert into team_delta values (${id}::uuid, ${waiting.members}, ${waiting.sol}, ${waiting.usd})`.execute(
        tx,
      );
      const stored = storedBy(reference, user);
      await sql`insert into team values (${id}::uuid, ${stored.referrals - damage.referrals},
        ${stored.members - damage.members}, ${stored.sol - damage.sol}, ${stored.usd - damage.usd})`.execute(tx);
    }
  });
}

/** The correct value of a stored counter: everything below, without the deltas that are still waiting. */
function storedBy(reference: Reference, user: TreeUser) {
  const whole = reference.below(user, ({ staked }) => staked);
  const waits = reference.below(user, ({ waiting }) => waiting);
  return {
    referrals: whole.referrals - waits.referrals,
    members: whole.members - waits.members,
    sol: whole.sol - waits.sol,
    usd: whole.usd - waits.usd,
  };
}

function corrected(reference: Reference) {
  const damaged = reference.users.filter(({ damage }) => Object.values(damage).some((figure) => figure !== 0n));
  return damaged
    .map((user) => {
      const { referrals, members, sol, usd } = reference.below(user, ({ staked }) => staked);
      const { damage } = user;
      return {
        id: user.id,
        tree: [referrals, members, sol, usd],
        stored: [referrals - damage.referrals, members - damage.members, sol - damage.sol, usd - damage.usd],
      };
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

async function reported(id: string) {
  const figuresOf = (of: Awaited<ReturnType<typeof tree.correctionsOf>>[number]['tree']) => [
    BigInt(of.referralCount),
    BigInt(of.totalNetwork),
    parseAmount(of.totalTeamVolumeSOL, 'SOL'),
    parseAmount(of.totalTeamVolumeUSD, 'USD'),
  ];
  const corrections = await tree.correctionsOf(id);
  return corrections.map(({ user, tree: right, stored }) => ({
    id: user.id,
    tree: figuresOf(right),
    stored: figuresOf(stored),
  }));
}

const expectedFindings = (reference: Reference): Record<FindingKind, string[]> => {
  const { users } = reference;
  const under = users.filter(({ isDeleted, sponsor, id }) => !isDeleted && sponsor && sponsor.id !== id);
  const lost = under.filter(({ sponsor }) => sponsor?.isDeleted);
  const ineligible = under.filter(({ sponsor }) => sponsor?.isBlacklisted && !sponsor.isDeleted);
  const withSponsor = ({ id, sponsor }: TreeUser) => `${id} ${sponsor?.id}`;
  return {
    'self-referral': distinct(users.filter(({ id, sponsor }) => sponsor?.id === id).map(({ id }) => id)),
    circle: distinct(reference.circles()),
    'missing-sponsor': distinct(lost.map(withSponsor)),
    'blacklisted-sponsor': distinct(ineligible.map(withSponsor)),
    'shared-wallet': distinct(reference.shared()),
  };
};

async function reportedFindings(id: string, kind: FindingKind) {
  const findings = await tree.findingsOf(id, kind);
  return findings
    .map(({ users, wallet }) => {
      if (kind === 'circle') return idsOf(users);
      return wallet === null ? users.map((one) => one.id).join(' ') : `${wallet}: ${idsOf(users)}`;
    })
    .toSorted();
}

test('property: the report finds what a plain implementation finds, and a repair corrects the counters', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 16 }), async (all) => {
      const reference = new Reference(usersOf(all));
      await storeUsers(reference);
      const report = await tree.check();
      const right = corrected(reference);
      expect(await reported(report.id)).toEqual(right);
      expect(report).toMatchObject({ users: all.length, wrong: { users: right.length } });
      for (const [kind, expected] of Object.entries(expectedFindings(reference)) as [FindingKind, string[]][]) {
        expect(await reportedFindings(report.id, kind), kind).toEqual(expected);
        expect(report.found[kind], kind).toBe(expected.length);
      }
      if (right.length === 0) return;
      await tree.repair(report);
      expect(await tree.check()).toMatchObject({ wrong: { users: 0 }, found: report.found });
    }),
    propertyRuns({ gate: 20, thorough: 60 }),
  );
}, 300_000);

test('a circle without users below it is found, whatever the order in which its members joined', async () => {
  for (const days of [
    [0, 0],
    [0, 0, 0],
    [0, 1, 2],
    [2, 1, 0],
  ]) {
    const plain = { isDeleted: false, isBlacklisted: false, staked: { sol: 1n, usd: 1n }, waiting: none };
    const drawnCircle = days.map((joined, index) => {
      const wallets: [string, string] = [`left${index}`, `right${index}`];
      return { ...plain, sponsor: index + 1, joined, wallets, damage: { ...none, referrals: 0n } };
    });
    const reference = new Reference(usersOf(drawnCircle));
    await storeUsers(reference);
    const report = await tree.check();
    expect(await reportedFindings(report.id, 'circle')).toEqual([idsOf(reference.users)]);
    expect(report).toMatchObject({ found: { circle: 1 }, wrong: { users: 0 } });
  }
});

import { sql } from 'kysely';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { addStake, fillTreasury } from '../../server/src/core/testing/stakes.ts';
import { setCollection, setRunLimit } from '../../server/src/core/testing/runs.ts';
import { addUser } from '../../server/src/core/testing/user.ts';
import type { Actor } from '../../server/src/core/auth/sessions.ts';
import type { Chance } from '../processes/chance.ts';
import type { Fixture } from '../processes/fixture.ts';
import { dayMs, dayOf, type Model, type ModelRank, type Stake, type User } from './model.ts';

const firstNow = Date.parse('2026-03-03T12:00:00Z');
const ranks: ModelRank[] = ['none', 'Silver', 'Silver', 'Silver', 'Silver', 'Gold'];
const treasury = 10n ** 15n;
const plentyOfTime = '1970-01-01';

const payout = { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };
const bonus = { rank: 'Silver' as const, bonusAmount: '10.00' };

export type World = { model: Model; maker: Actor; approver: Actor };

/** Adds a few users with stakes that end during the simulation, and makes a model that knows the same. */
export async function buildWorld({ owner, pool }: Fixture, chance: Chance): Promise<World> {
  const isLimited = chance.happens(0.3);
  const maker = await addAdmin(owner, { username: 'ann', role: 'SuperAdmin' });
  const approver = await addAdmin(owner, { username: 'bob', role: 'SuperAdmin' });
  await setRunLimit(owner, isLimited ? 0n : 10n ** 17n);
  // A day of a stake pays less than a dollar, and a rank bonus up to fifty.
  const collects = chance.happens(0.5) ? BigInt(1 + chance.whole(chance.happens(0.5) ? 100_000 : 5_000_000)) : 0n;
  await setCollection(owner, collects);
  await fillTreasury(owner, 'USD', treasury);
  const users: User[] = [];
  const stakes: Stake[] = [];
  for (const rank of ranks) {
    const { id } = await addUser(owner, { rank });
    users.push({
      id,
      ranks: [{ at: 0, rank }],
      isBlacklisted: false,
      isDeleted: false,
      available: 0n,
      staked: 0n,
      owed: 0n,
      stakeEarnings: 0n,
      rankBonuses: 0n,
    });
    for (let count = chance.whole(3); count > 0; count -= 1) stakes.push(await place(owner, id, chance));
  }
  for (const { user: id, units } of stakes) {
    const user = users.find((one) => one.id === id);
    if (user) user.staked += units;
  }
  for (const [job, settings] of Object.entries({ 'stake-payout': payout, 'rank-bonus': bonus })) {
    await sql`insert into job_settings (job, version, settings, effective_from)
      select ${job}, max(version) + 1, ${JSON.stringify(settings)}::jsonb, ${`${plentyOfTime}T00:00Z`}
      from job_settings where job = ${job}`.execute(owner);
  }
  await pool.query(mortality);
  const model: Model = {
    now: firstNow,
    isLimited,
    collects,
    users: users.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    stakes,
    versions: [
      { kind: 'stake-payout', value: payout, from: 0 },
      { kind: 'rank-bonus', value: bonus, from: 0 },
    ],
    runs: [],
    payments: new Map(),
    everReversed: new Set(),
    receivables: [],
    treasury,
    loyalty: 0n,
  };
  return { model, maker: signedIn(maker), approver: signedIn(approver) };
}

type Added = Awaited<ReturnType<typeof addAdmin>>;

const signedIn = ({ id, username, role, permissionSet }: Added): Actor => ({
  id,
  username,
  role,
  permissionSet,
  sessionId: '',
  mustChangePassword: false,
  sessionEndsAt: new Date(8.64e15),
  sessionAgeSeconds: 0,
  factor: null,
});

async function place(owner: Fixture['owner'], userId: string, chance: Chance): Promise<Stake> {
  const placedOn = dayOf(firstNow - 2 * dayMs);
  const days = 2 + chance.whole(5);
  const rate = 900 + chance.whole(2_000);
  const units = BigInt(1_000_000 + chance.whole(500_000_000));
  const id = await addStake(owner, { userId, units, days, rate, placedOn });
  return {
    id,
    user: userId,
    units,
    rate,
    placedOn,
    endsOn: dayOf(Date.parse(placedOn) + days * dayMs),
    isCompleted: false,
  };
}

/**
 * While the table `death` has a row, a worker dies at the last statement of the second chunk that it plans, or of the
 * first that it pays: the transaction is rolled back, as when the process is killed. A sequence counts the planned chunks,
 * because all of a plan are written from one snapshot and do not see each other.
 */
const mortality = `
  create table death ();
  grant select on death to bursar_app, bursar_worker;
  create function die() returns trigger language plpgsql as $$
  begin
    if exists (select from death) then raise exception 'killed' using errcode = '57P01'; end if;
    return new;
  end $$;
  create sequence planned_chunk;
  grant usage on sequence planned_chunk to bursar_worker;
  create function die_at_second() returns trigger language plpgsql as $$
  begin
    if exists (select from death) and nextval('planned_chunk') = 2 then
      raise exception 'killed' using errcode = '57P01';
    end if;
    return new;
  end $$;
  create trigger die_while_planning before insert on run_chunk for each row execute function die_at_second();
  create trigger die_while_paying before update of paid_at on run_chunk for each row execute function die();`;

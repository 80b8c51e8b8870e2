import type { PermissionSet, Role } from '../../contract/src/core/permissions.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { addStake, fillTreasury } from '../../server/src/core/testing/stakes.ts';
import { addUser } from '../../server/src/core/testing/user.ts';
import { freePort } from '../../tools/ports.ts';
import { callerAt } from '../processes/caller.ts';
import type { Chance } from '../processes/chance.ts';
import type { Code } from '../processes/code.ts';
import { faultsOf, type Fixture, openFixture } from '../processes/fixture.ts';
import { startProgram } from '../processes/program.ts';
import { actionsOf, openingOf } from './actions.ts';

type Attack = {
  code: Code;
  role: 'SuperAdmin' | 'Finance';
  steps: number;
  chance: Chance;
  mutant: string | undefined;
};

const limit = 1_000_000_000n;
const friends = 8;

/** Lets one administrator act at random, alone and through accounts of their own making, and counts what moved. */
export async function attack(postgresUrl: string, { code, role, steps, chance, mutant }: Attack) {
  await using resources = new AsyncDisposableStack();
  const fixture = await openFixture(postgresUrl);
  resources.defer(() => fixture.close());
  if (mutant) await fixture.pool.query(mutant);
  const port = await freePort();
  const programs = [
    startProgram({ code, program: 'main.ts', environment: { ...fixture.environment, PORT: String(port) } }),
    startProgram({ code, program: 'worker.ts', environment: fixture.environment }),
  ];
  resources.defer(async () => void (await Promise.all(programs.map((program) => program.kill()))));
  // These two exist and never act: requests wait for them.
  await addAdmin(fixture.owner, { username: 'honest', role: 'SuperAdmin' });
  await addAdmin(fixture.owner, { username: 'careful', permissionSet: 'Finance' });
  await addAdmin(fixture.owner, { username: 'rogue', ...rights[role] });
  await fillTreasury(fixture.owner, 'USD', 10n ** 15n);
  await fillTreasury(fixture.owner, 'GMP', 10n ** 15n);
  const users = await addFriends(fixture);
  await Promise.all(programs.map((program) => program.readyOrThrow()));

  const caller = callerAt(`http://127.0.0.1:${port}`);
  const rogue = await caller.signIn('rogue');
  const world = { fixture, caller, chance, users, rogue };
  const actions = actionsOf(world);
  await openingOf(world);
  const tried: Record<string, number> = {};
  for (let step = 0; step < steps; step += 1) {
    const [name, act] = chance.one(Object.entries(actions));
    tried[name] = (tried[name] ?? 0) + 1;
    await act();
  }
  const moved = await movedIn(fixture);
  const isContained = moved <= limit && (await areApprovers(fixture));
  return { moved: String(moved), isContained, faults: await faultsOf(fixture), runs: await runsIn(fixture), tried };
}

/** Adds users whom every job pays: each has the rank of the bonus, a stake, and a sponsor who is another one. */
async function addFriends({ owner }: Fixture) {
  const users = [];
  for (let count = 0; count < friends; count += 1) {
    const user = await addUser(owner, { rank: 'Silver', sponsorId: users[0]?.id ?? null });
    await addStake(owner, { userId: user.id, units: 20_000_000n, placedOn: daysAgo(2) });
    users.push(user);
  }
  return users;
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Returns how many runs and reversals the rogue administrator started and had paid alone. */
async function runsIn({ pool }: Fixture) {
  const { rows } = await pool.query<{ paid: number; reversals: number }>(
    `select count(*) filter (where reverses is null)::int as paid,
       count(*) filter (where reverses is not null)::int as reversals
     from run where state = 'completed' and planned_by is not null`,
  );
  return rows[0] ?? { paid: 0, reversals: 0 };
}

/** Whether the honest administrators can still sign in by their names and approve. */
async function areApprovers({ pool }: Fixture) {
  const { rows } = await pool.query(`select from admin where username in ('honest', 'careful') and is_approver(id)`);
  return rows.length === 2;
}

const rights: Record<Attack['role'], { role: Role; permissionSet?: PermissionSet }> = {
  SuperAdmin: { role: 'SuperAdmin' },
  Finance: { role: 'Admin', permissionSet: 'Finance' },
};

/**
 * Returns what moved because of someone: payments and reversals to and from users, and what left the treasury. The
 * deposits and requests of the users themselves do not count, and GMP counts as much as USD, because its limit is 0.
 */
async function movedIn({ pool }: Fixture) {
  const { rows } = await pool.query<{ units: string }>(
    `select coalesce(sum(units), 0)::text as units from transfer
     where kind in ('rank-bonus', 'gmp', 'task', 'adjustment', 'referral', 'stake-base', 'stake-bonus')
       or kind = 'withdrawal' and credit = 'outside'`,
  );
  return BigInt(rows[0]?.units ?? '0');
}

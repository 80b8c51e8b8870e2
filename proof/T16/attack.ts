import type { PermissionSet, Role } from '../../contract/src/core/permissions.ts';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import { fillTreasury } from '../../server/src/core/testing/stakes.ts';
import { addUser } from '../../server/src/core/testing/user.ts';
import { freePort } from '../../tools/ports.ts';
import { callerAt } from '../processes/caller.ts';
import type { Chance } from '../processes/chance.ts';
import type { Code } from '../processes/code.ts';
import { faultsOf, type Fixture, openFixture } from '../processes/fixture.ts';
import { startProgram } from '../processes/program.ts';
import { actionsOf } from './actions.ts';

type Attack = {
  code: Code;
  role: 'SuperAdmin' | 'Finance';
  steps: number;
  chance: Chance;
  mutant: string | undefined;
};

const limit = 1_000_000_000n;
const friends = 4;

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
  const users = [];
  for (let count = 0; count < friends; count += 1) users.push(await addUser(fixture.owner, { rank: 'Gold' }));
  await Promise.all(programs.map((program) => program.readyOrThrow()));

  const caller = callerAt(`http://127.0.0.1:${port}`);
  const rogue = await caller.signIn('rogue');
  const actions = actionsOf({ fixture, caller, chance, users, rogue });
  const tried: Record<string, number> = {};
  for (let step = 0; step < steps; step += 1) {
    const [name, act] = chance.one(Object.entries(actions));
    tried[name] = (tried[name] ?? 0) + 1;
    await act();
  }
  const moved = await movedIn(fixture);
  const isContained = moved <= limit && (await areApprovers(fixture));
  return { moved: String(moved), isContained, faults: await faultsOf(fixture), tried };
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

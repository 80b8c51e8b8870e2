import { copyInto, type CopyIn } from '#server/core/db/copy.ts';
import { copyTransfers, fundWhatWasPaid, keepLedgerAnew, type SeedTransfer } from '#server/core/ledger/demo.ts';
import { copyActivity } from '#server/features/reports/demo.ts';
import { copyStakes } from '#server/features/staking/demo.ts';
import { copyTasks } from '#server/features/tasks/demo.ts';
import { copyTickets } from '#server/features/tickets/demo.ts';
import { copyTeams, copyUsers, forgetTeamDeltas } from '#server/features/users/demo.ts';
import { balancesByLedger, copyWithdrawals } from '#server/features/withdrawals/demo.ts';
import { countAnew, setAside } from './aside.ts';
import { withoutTriggers } from './backdate.ts';
import { endowmentsOf, historyOf, openingOf } from './history.ts';
import { stakesOf, tasksOf, withdrawalsOf } from './money.ts';
import type { Owner } from './owner.ts';
import { type Born, bornOf, userOf } from './users.ts';
import { loadStory } from './story.ts';
import { storyUntil } from './story-time.ts';
import { teamsOf } from './teams.ts';
import { ticketsOf } from './tickets.ts';
import { demoWorld, scaleWorld, type World } from './world.ts';

/** The runs start on the day after: thirty days of them are the demo's story. */
const importedDaysAgo = 31;

/** What a newcomer sees: the platform's users and their money, and thirty days of runs and decisions on top of it. */
export async function loadDemo(owner: Owner, now = new Date()) {
  await loadUsers(owner, demoWorld(now, importedDaysAgo));
  await loadStory(owner, storyUntil(now));
  await correctBalances(owner);
}

/** The same without runs: nothing was ever enabled, and yesterday is still to be paid. */
export async function loadDemoWithoutRuns(owner: Owner, now = new Date()) {
  await loadUsers(owner, demoWorld(now));
  await correctBalances(owner);
}

/** Last of all: what a run paid before a request is part of the balance that the request shows. */
const correctBalances = ({ pool }: Owner) =>
  withoutTriggers(pool, async (client) => {
    await client.query(balancesByLedger);
  });

/** The triggers count along, as they do for everyone who joins. */
async function loadUsers(owner: Owner, world: World) {
  await loadWorld(owner, world);
  await owner.pool.query(fundWhatWasPaid, [world.paidThrough]);
  // The job would carry these up the tree within a minute; the teams are there already.
  await owner.pool.query(forgetTeamDeltas);
}

/** So many that indexes, keys and triggers would take hours to follow: they are set aside, and made anew at the end. */
export async function loadScale(owner: Owner, users: number, now = new Date()) {
  const world = scaleWorld(users, now);
  const restore = await setAside(owner.pool);
  try {
    await loadWorld(owner, world);
    await copyTickets(copyInto(owner.pool), ticketsOf(world));
    await countAnew(owner.pool);
    await keepLedgerAnew(owner.database);
  } finally {
    await restore();
  }
}

async function loadWorld({ database, pool }: Owner, world: World) {
  const copy = copyInto(pool);
  await copyUsers(copy, everyone(world));
  await loadTeams(copy, world);
  await copyStakes(
    database,
    copy,
    fromEveryone(world, (user) => stakesOf(world, user)),
  );
  await copyWithdrawals(
    copy,
    fromEveryone(world, (user) => withdrawalsOf(world, user)),
  );
  await copyTasks(
    copy,
    fromEveryone(world, (user) => tasksOf(world, user)),
  );
  await copyActivity(copy, world);
  await copyTransfers(copy, transfersOf(world));
}

function* transfersOf(world: World): Generator<SeedTransfer> {
  yield* endowmentsOf(world);
  yield* fromEveryone(world, (user) =>
    world.ledger === 'the whole history' ? historyOf(world, user) : openingOf(world, user),
  );
}

function* everyone(world: World) {
  for (let index = 0; index < world.users; index += 1) yield userOf(world, index);
}

function* fromEveryone<T>(world: World, own: (user: Born) => Iterable<T>) {
  for (let index = 0; index < world.users; index += 1) yield* own(bornOf(world, index));
}

function loadTeams(copy: CopyIn, world: World) {
  const teamOf = teamsOf(world);
  return copyTeams(copy, teams());
  function* teams() {
    for (let index = 0; index < world.users; index += 1) {
      const team = teamOf(index);
      if (team.totalNetwork > 0n) yield { userId: bornOf(world, index).id, ...team };
    }
  }
}

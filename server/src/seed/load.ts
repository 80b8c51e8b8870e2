import { forgetRecordSeals } from '#server/core/audit/demo.ts';
import { sealUnsealed } from '#server/core/audit/record-seals.ts';
import { copyInto, type CopyIn } from '#server/core/db/copy.ts';
import {
  copyTransfers,
  fundWhatWasPaid,
  rebuildLedger,
  recordDeposits,
  type SeedTransfer,
} from '#server/core/ledger/demo.ts';
import { verifyLedger } from '#server/core/ledger/verification.ts';
import { copyActivity } from '#server/features/reports/demo.ts';
import { copyStakes } from '#server/features/staking/demo.ts';
import { copyTasks } from '#server/features/tasks/demo.ts';
import { copyTickets } from '#server/features/tickets/demo.ts';
import { copyTeams, copyUsers, forgetTeamDeltas } from '#server/features/users/demo.ts';
import { balancesByLedger, copyWithdrawals } from '#server/features/withdrawals/demo.ts';
import { bookQuestions } from '../verify.ts';
import { recount, dropIndexes } from './indexes.ts';
import { withoutTriggers } from './backdate.ts';
import { endowmentsOf, historyOf, openingOf } from './history.ts';
import { stakesOf, tasksOf, withdrawalsOf } from './money.ts';
import type { Owner } from './owner.ts';
import { type SeededUser, joinedOf, userOf } from './users.ts';
import { loadStory } from './story.ts';
import { storyUntil } from './story-time.ts';
import { teamsOf } from './teams.ts';
import { ticketsOf } from './tickets.ts';
import { demoWorld, scaleWorld, type World } from './world.ts';

/** The imported data ends here. Runs pay the thirty days after it. */
const importedDaysAgo = 31;

/** Loads the demo: users and their money, and thirty days of runs and decisions. */
export async function loadDemo(owner: Owner, now = new Date()) {
  await loadUsers(owner, demoWorld(now, importedDaysAgo));
  // The story approves withdrawals, which are refused without it.
  await owner.database.transaction().execute((tx) => sealUnsealed(tx, ['withdrawal-request']));
  await loadStory(owner, storyUntil(now));
  await correctBalances(owner);
  await verifyLoaded(owner);
}

/** Loads the demo without runs: no schedule was ever enabled, and yesterday is not paid yet. */
export async function loadDemoWithoutRuns(owner: Owner, now = new Date()) {
  await loadUsers(owner, demoWorld(now));
  await correctBalances(owner);
  await verifyLoaded(owner);
}

/** Home shows the verdict at once, and the worker's verifications start from here. */
async function verifyLoaded({ database, pool }: Owner) {
  // The story has changed the times of what it did.
  await forgetRecordSeals(pool);
  await database.transaction().execute((tx) => sealUnsealed(tx));
  await verifyLedger(database, { form: 'full', questions: bookQuestions });
}

/** Runs last, because the balance of a withdrawal request includes what runs paid before it. */
const correctBalances = ({ pool }: Owner) =>
  withoutTriggers(pool, async (client) => {
    await client.query(balancesByLedger);
  });

/** Loads users with triggers enabled, which update the counters. */
async function loadUsers(owner: Owner, world: World) {
  await loadWorld(owner, world);
  await owner.pool.query(fundWhatWasPaid, [world.paidThrough]);
  // The job would add these deltas to the teams, but the loaded teams include them already.
  await owner.pool.query(forgetTeamDeltas);
}

/** Loads many users. Indexes, keys and triggers would take hours, so they are removed first and restored at the end. */
export async function loadScale(owner: Owner, users: number, now = new Date()) {
  const world = scaleWorld(users, now);
  const restore = await dropIndexes(owner.pool);
  try {
    await loadWorld(owner, world);
    await copyTickets(copyInto(owner.pool), ticketsOf(world));
    await recount(owner.pool);
    await rebuildLedger(owner.database);
    await owner.database.transaction().execute((tx) => sealUnsealed(tx));
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
  await pool.query(recordDeposits);
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

function* fromEveryone<T>(world: World, own: (user: SeededUser) => Iterable<T>) {
  for (let index = 0; index < world.users; index += 1) yield* own(joinedOf(world, index));
}

function loadTeams(copy: CopyIn, world: World) {
  const teamOf = teamsOf(world);
  return copyTeams(copy, teams());
  function* teams() {
    for (let index = 0; index < world.users; index += 1) {
      const team = teamOf(index);
      if (team.totalNetwork > 0n) yield { userId: joinedOf(world, index).id, ...team };
    }
  }
}

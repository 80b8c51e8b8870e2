import { addAdmin } from '../server/src/core/testing/server.ts';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { type Code, copyCode } from './processes/code.ts';
import { openFixture, setRunLimit, type Fixture } from './processes/fixture.ts';
import { dayAfter, placeStakes } from './processes/stakes.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { check } from './T2/check.ts';
import { blacklist, drive, type Interference } from './T2/driver.ts';
import { killAtRandom, killInAChunk } from './T2/killer.ts';
import { catchMutants } from './T2/mutant.ts';
import { startProcesses, type ProcessGroup } from './T2/process-group.ts';

/*
 * Kills the API and workers at any time during runs of two kinds, while stakes end, users are blacklisted and let off,
 * and runs are paused, cancelled, reversed and paid again: every payment is made exactly once.
 */
const options = isFull ? { users: 30_000, kills: 199, rollEvery: 20 } : { users: 20_000, kills: 6, rollEvery: 4 };
const recoveredWithinSeconds = 60;
const interference: Interference = { pauses: 0.3, cancels: 0.2, reverses: 0.25 };
const seed = seedOfThisRun();
const chance = chanceOf(seed);
const firstDay = dayAfter(new Date().toISOString().slice(0, 10), -400);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const stormed = await storm();
logProgress(`checked: ${JSON.stringify(stormed)}`);
const mutant = await catchMutants(postgres.url, { firstDay, chance });
const passed = stormed.sound && stormed.stuck === null && stormed.recoverySeconds < recoveredWithinSeconds;
conclude({ proof: 'T2', passed, ...mutant, seed, ...stormed });

async function storm() {
  await using resources = new AsyncDisposableStack();
  const unchanged = copyCode();
  resources.defer(() => unchanged.remove());
  const linesInChunk = {
    file: 'server/src/features/runs/planning/plan-queries.ts',
    from: 'const linesInChunk = 5_000;',
  };
  const changed = copyCode([{ ...linesInChunk, to: 'const linesInChunk = 1_700;' }]);
  resources.defer(() => changed.remove());
  const fixture = await openFixture(postgres.url);
  resources.defer(() => fixture.close());
  const processes = await startProcesses(fixture, { code: unchanged, workers: 2 });
  resources.defer(async () => void (await processes.killAll()));
  await addAdmin(fixture.owner, { username: 'ann', role: 'SuperAdmin' });
  await setRunLimit(fixture, 10n ** 17n);
  await placeStakes(fixture.owner, { users: options.users, firstDay, enabled: false, endingWithin: 5 });
  await saveBonus(fixture);
  await processes.allReady();
  logProgress(`${options.users} users have staked`);

  const result = await payUnderFire(fixture, processes, [changed, unchanged]);
  await processes.killAll();
  logProgress(result.stuck ?? 'all is paid; checking');
  return { ...result, ...(await check(fixture, { processes })) };
}

async function payUnderFire(fixture: Fixture, processes: ProcessGroup, versions: readonly Code[]) {
  const name = 'extra worker';
  const program = processes.extra(name);
  const killsDone = new AbortController();
  const gaveUp = new AbortController();
  const killing = Promise.all([
    killAtRandom({ ...options, fixture, processes, chance, versions, signal: gaveUp.signal }),
    killInAChunk(fixture, { name, program, signal: gaveUp.signal }),
  ]).finally(() => killsDone.abort());
  const { address } = processes;
  const enough = () => killsDone.signal.aborted;
  const driver = { address, username: 'ann', chance, interference, enough, signal: gaveUp.signal };
  const driving = Promise.all([
    drive({ ...driver, kind: 'stake-payout' }),
    // Nothing else is due after the bonus of a week, so it is reversed and paid again all the time.
    drive({ ...driver, kind: 'rank-bonus', interference: { ...interference, reverses: 1 } }),
    blacklist({ ...driver, users: await someUsers(fixture) }),
  ]);
  const driven = await driving.then(
    ([payouts, bonuses, blacklisted]) => ({ stuck: null, payouts, bonuses, blacklisted }),
    (error: unknown) => ({ stuck: String(error) }),
  );
  gaveUp.abort();
  const [{ kills, ...result }, inAChunk] = await killing;
  await program.kill();
  return { kills: kills + inAChunk, inAChunk, ...result, ...driven };
}

async function someUsers({ owner }: Fixture) {
  const users = await owner.selectFrom('platformUser').select('id').orderBy('id').limit(options.users).execute();
  return users.filter((_, place) => place % 97 === 0).map(({ id }) => id);
}

async function saveBonus({ pool }: Fixture) {
  await pool.query(
    `insert into job_settings (job, version, settings, effective_from)
     select job, max(version) + 1, '{"rank": "Silver", "bonusAmount": "3.00"}', '1970-01-01'
     from job_settings where job = 'rank-bonus' group by job`,
  );
}

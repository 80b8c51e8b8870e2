import { addAdmin } from '../server/src/core/testing/server.ts';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { type Code, copyCode } from './processes/code.ts';
import { openFixture, setRunLimit, type Fixture } from './processes/fixture.ts';
import { dayAfter, placeStakes } from './processes/stakes.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { check } from './T2/check.ts';
import { payDays } from './T2/driver.ts';
import { killAtRandom, killInAChunk } from './T2/killer.ts';
import { isMutantCaught } from './T2/mutant.ts';
import { startProcesses, type ProcessGroup } from './T2/process-group.ts';

/* Kills the API and workers at any time during runs of day after day: every stake is paid exactly once. */
const options = isFull ? { users: 30_000, kills: 199, rollEvery: 20 } : { users: 20_000, kills: 6, rollEvery: 4 };
const recoveredWithinSeconds = 60;
const seed = seedOfThisRun();
const chance = chanceOf(seed);
const firstDay = dayAfter(new Date().toISOString().slice(0, 10), -400);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const stormed = await storm();
logProgress(`checked: ${JSON.stringify(stormed)}`);
const mutant = await isMutantCaught(postgres.url, { firstDay, chance });
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
  await placeStakes(fixture.owner, { users: options.users, firstDay, enabled: false });
  await processes.allReady();
  logProgress(`${options.users} users have staked`);

  const result = await payUnderFire(fixture, processes, [changed, unchanged]);
  await processes.killAll();
  logProgress(result.stuck ?? 'all is paid; checking');
  return { ...result, ...(await check(fixture, { processes, firstDay })) };
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
  const driving = payDays({ address: processes.address, username: 'ann', enough: () => killsDone.signal.aborted });
  const stuck = await driving.then(
    () => null,
    (error: unknown) => String(error),
  );
  gaveUp.abort();
  const [{ kills, ...result }, inAChunk] = await killing;
  await program.kill();
  return { kills: kills + inAChunk, inAChunk, ...result, stuck };
}

import { addAdmin } from '../server/src/core/testing/server.ts';
import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { type Code, copyCode } from './processes/code.ts';
import { openSite, setRunLimit, type Site } from './processes/site.ts';
import { dayAfter, placeStakes } from './processes/stakes.ts';
import { conclude, isFull, tell } from './processes/verdict.ts';
import { check } from './T2/check.ts';
import { payDays } from './T2/driver.ts';
import { killAtRandom, killInAChunk } from './T2/killer.ts';
import { isMutantCaught } from './T2/mutant.ts';
import { hire, type Staff } from './T2/staff.ts';

/* API and workers are killed at any moment of runs that go on day after day: nobody is paid twice or not at all. */
const wish = isFull ? { people: 30_000, kills: 199, rollEvery: 20 } : { people: 20_000, kills: 6, rollEvery: 4 };
const recoveredWithinSeconds = 60;
const seed = seedOfThisRun();
const chance = chanceOf(seed);
const firstDay = dayAfter(new Date().toISOString().slice(0, 10), -400);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const stormed = await storm();
tell(`checked: ${JSON.stringify(stormed)}`);
const mutant = await isMutantCaught(postgres.url, { firstDay, chance });
const passed = stormed.sound && stormed.stuck === null && stormed.recoverySeconds < recoveredWithinSeconds;
conclude({ proof: 'T2', passed, ...mutant, seed, ...stormed });

async function storm() {
  await using means = new AsyncDisposableStack();
  const asItIs = copyCode();
  means.defer(() => asItIs.remove());
  const linesInChunk = {
    file: 'server/src/features/runs/planning/plan-queries.ts',
    from: 'const linesInChunk = 5_000;',
  };
  const changed = copyCode([{ ...linesInChunk, to: 'const linesInChunk = 1_700;' }]);
  means.defer(() => changed.remove());
  const site = await openSite(postgres.url);
  means.defer(() => site.close());
  const staff = await hire(site, { code: asItIs, workers: 2 });
  means.defer(async () => void (await staff.dismiss()));
  await addAdmin(site.owner, { username: 'ann', role: 'SuperAdmin' });
  await setRunLimit(site, 10n ** 17n);
  await placeStakes(site.owner, { people: wish.people, firstDay, enabled: false });
  await staff.allReady();
  tell(`${wish.people} people have staked`);

  const told = await payUnderFire(site, staff, [changed, asItIs]);
  await staff.dismiss();
  tell(told.stuck ?? 'all is paid; checking');
  return { ...told, ...(await check(site, { staff, firstDay })) };
}

async function payUnderFire(site: Site, staff: Staff, versions: readonly Code[]) {
  const name = 'extra worker';
  const program = staff.extra(name);
  const over = new AbortController();
  const gaveUp = new AbortController();
  const killing = Promise.all([
    killAtRandom({ ...wish, site, staff, chance, versions, signal: gaveUp.signal }),
    killInAChunk(site, { name, program, signal: gaveUp.signal }),
  ]).finally(() => over.abort());
  const driving = payDays({ address: staff.address, username: 'ann', enough: () => over.signal.aborted });
  const stuck = await driving.then(
    () => null,
    (error: unknown) => String(error),
  );
  gaveUp.abort();
  const [{ kills, ...told }, inAChunk] = await killing;
  await program.kill();
  return { kills: kills + inAChunk, inAChunk, ...told, stuck };
}

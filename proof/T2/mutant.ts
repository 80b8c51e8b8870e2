import { setTimeout as wait } from 'node:timers/promises';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import type { Chance } from '../processes/chance.ts';
import { type Change, copyCode } from '../processes/code.ts';
import { openFixture, setRunLimit, type Fixture } from '../processes/fixture.ts';
import { compareDays, placeStakes } from '../processes/stakes.ts';
import { logProgress } from '../processes/verdict.ts';
import { payDays } from './driver.ts';
import { until } from './killer.ts';
import { startProcesses, type ProcessGroup } from './process-group.ts';

const killsAtMost = 20;

/** Commits the transfers of a chunk before the chunk is marked as paid, so a kill can happen in between. */
export const notOneTransaction: Change[] = [
  {
    file: 'server/src/features/runs/paying/pay.ts',
    from: '      await payChunk(tx, { run, chunk: claimed, endStakes });\n',
    to: `      const chunk = claimed;
      const paid = await database.transaction().execute((own) => payChunk(own, { run, chunk, endStakes }));
      await wait(200);
      await updatePaid(tx, runId, { no: chunk.no, ...paid });\n`,
  },
  {
    file: 'server/src/features/runs/paying/pay.ts',
    from: '  await updatePaid(tx, runId, { no: chunk.no, transfers: posted.transfers, dropped });\n',
    to: '  return { transfers: posted.transfers, dropped };\n',
  },
  {
    file: 'server/src/features/runs/planning/plan-queries.ts',
    from: 'const linesInChunk = 5_000;',
    to: 'const linesInChunk = 500;',
  },
];

/** Without the unique keys that prevent it, a kill in between must lead to a second payment that the check sees. */
export async function isMutantCaught(postgresUrl: string, { firstDay, chance }: { firstDay: string; chance: Chance }) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode(notOneTransaction);
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgresUrl);
  resources.defer(() => fixture.close());
  const processes = await startProcesses(fixture, { code, workers: 1 });
  resources.defer(async () => void (await processes.killAll()));
  await addAdmin(fixture.owner, { username: 'ann', role: 'SuperAdmin' });
  await setRunLimit(fixture, 10n ** 17n);
  await placeStakes(fixture.owner, { users: 3_000, firstDay, enabled: false });
  await fixture.pool.query('drop index transfer_key; alter table transfer_once drop constraint transfer_once_pkey');
  await processes.allReady();

  const done = new AbortController();
  const driving = payDays({ address: processes.address, username: 'ann', enough: () => done.signal.aborted });
  const killing = killUntilDoubled(fixture, { processes, chance, signal: done.signal });
  const kills = await Promise.race([killing, driving.then(() => 0)]);
  done.abort();
  await Promise.all([killing, driving]);
  return { mutantCaught: kills > 0, mutantKills: kills };
}

type Killing = { processes: ProcessGroup; chance: Chance; signal: AbortSignal };

/** Returns the number of kills after which a stake was paid twice, or 0 if none was. */
async function killUntilDoubled(fixture: Fixture, { processes, chance, signal }: Killing) {
  const worker = processes.places.find(({ start }) => start.program === 'worker.ts');
  if (!worker) throw new Error('There is no worker to kill.');
  for (let kill = 1; kill <= killsAtMost && !signal.aborted; kill += 1) {
    await until(fixture, 'paying', signal);
    await wait(chance.below(400));
    await processes.killAndRestart(worker, 0);
    await worker.program.ready();
    await wait(500);
    const { rows } = await fixture.pool.query<{ day: string }>('select day::text from run');
    const days = rows.map(({ day }) => day);
    const { doubled } = await compareDays(fixture.owner, days);
    logProgress(`mutant, kill ${kill}: ${doubled} payments are doubled`);
    if (doubled > 0) return kill;
  }
  return 0;
}

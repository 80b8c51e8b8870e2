import { setTimeout as wait } from 'node:timers/promises';
import { addAdmin } from '../../server/src/core/testing/server.ts';
import type { Chance } from '../processes/chance.ts';
import { type Change, copyCode } from '../processes/code.ts';
import { openFixture, setRunLimit, type Fixture } from '../processes/fixture.ts';
import { compareDays, placeStakes } from '../processes/stakes.ts';
import { logProgress } from '../processes/verdict.ts';
import { drive, type Interference } from './driver.ts';
import { until } from './killer.ts';
import { startProcesses, type ProcessGroup } from './process-group.ts';

const killsAtMost = 20;
const longestMs = 120_000;

/** Commits the transfers of a chunk before the chunk is marked as paid, so a kill can happen in between. */
export const notOneTransaction: Change = {
  file: 'server/src/features/runs/paying/pay.ts',
  from: '  await updatePaid(tx, runId, { no: chunk.no, transfers: posted.transfers, dropped });\n',
  to: `  const { sql } = await import('kysely');
  await sql\`commit\`.execute(tx);
  await wait(1_500);
  await updatePaid(tx, runId, { no: chunk.no, transfers: posted.transfers, dropped });\n`,
};

/** Plans what was paid already, as if the run that was cancelled had paid nothing. */
export const forgetsPaid: Change = {
  file: 'server/src/features/runs/kinds/stake-payout.ts',
  from: `              when \${paidBefore(run)} then 'paid'\n`,
  to: '',
};

type Mutating = { firstDay: string; chance: Chance };

/** Without the unique keys that prevent it, each mutant must lead to a second payment that the check sees. */
export async function catchMutants(postgresUrl: string, mutating: Mutating) {
  const mutants = {
    'a chunk is not one transaction': await isCaught(postgresUrl, {
      ...mutating,
      change: notOneTransaction,
      kills: true,
    }),
    'the planner forgets what was already paid': await isCaught(postgresUrl, {
      ...mutating,
      change: forgetsPaid,
      kills: false,
    }),
  };
  return { mutantCaught: Object.values(mutants).every(Boolean), mutants };
}

type Mutant = Mutating & { change: Change; kills: boolean };

async function isCaught(postgresUrl: string, { firstDay, chance, change, kills }: Mutant) {
  await using resources = new AsyncDisposableStack();
  const code = copyCode([change]);
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgresUrl);
  resources.defer(() => fixture.close());
  const processes = await startProcesses(fixture, { code, workers: 1 });
  resources.defer(async () => void (await processes.killAll()));
  await addAdmin(fixture.owner, { username: 'ann', role: 'SuperAdmin' });
  await setRunLimit(fixture, 10n ** 17n);
  await placeStakes(fixture.owner, { users: 12_000, firstDay, enabled: false });
  await fixture.pool.query('drop index transfer_key; alter table transfer_once drop constraint transfer_once_pkey');
  await processes.allReady();

  const done = new AbortController();
  const interference: Interference = { pauses: 0, cancels: kills ? 0 : 1, reverses: 0 };
  const operator = { address: processes.address, username: 'ann', kind: 'stake-payout', chance, interference } as const;
  const driving = drive({ ...operator, enough: () => false, signal: done.signal }).catch((error: unknown) =>
    logProgress(`mutant: ${String(error)}`),
  );
  const isDoubled = await untilDoubled(fixture, { processes, chance, kills });
  done.abort();
  await driving;
  return isDoubled;
}

type Watching = { processes: ProcessGroup; chance: Chance; kills: boolean };

/** Kills the worker, if asked to, until a stake was paid twice. Returns false if none was in time. */
async function untilDoubled(fixture: Fixture, { processes, chance, kills }: Watching) {
  const worker = processes.places.find(({ start }) => start.program === 'worker.ts');
  if (!worker) throw new Error('There is no worker to kill.');
  const signal = AbortSignal.timeout(longestMs);
  for (let look = 1; look <= killsAtMost && !signal.aborted; look += 1) {
    await until(fixture, 'paying', signal);
    await wait(chance.below(400));
    if (kills) await processes.killAndRestart(worker, 0);
    await worker.program.ready();
    await wait(kills ? 500 : 2_000);
    const { rows } = await fixture.pool.query<{ day: string }>('select distinct day::text from run');
    const { doubled } = await compareDays(
      fixture.owner,
      rows.map(({ day }) => day),
    );
    logProgress(`mutant, look ${look}: ${doubled} payments are doubled`);
    if (doubled > 0) return true;
  }
  return false;
}

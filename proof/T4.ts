import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { copyCode } from './processes/code.ts';
import { openFixture } from './processes/fixture.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { isMutantCaught } from './T4/mutant.ts';
import { startProcesses } from './T4/process-group.ts';
import { approveRuns } from './T4/runs.ts';
import { callsAtOnce, allRefusedCleanly } from './T4/storm.ts';
import { decideWithdrawals } from './T4/withdrawals.ts';

/* Fifty concurrent calls decide the same request, some by its requester: one takes effect, by another administrator. */
const options = isFull ? { wanted: 1_000, rounds: 10 } : { wanted: 20, rounds: 2 };
const seed = seedOfThisRun();
const chance = chanceOf(seed);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const { withdrawals, runs } = await decideAll();
logProgress(`withdrawals: ${JSON.stringify(withdrawals)}`);
logProgress(`runs: ${JSON.stringify(runs)}`);
const mutant = await isMutantCaught(postgres.url, { wanted: 8, chance });
const passed = [withdrawals, runs].every(({ sound, tally }) => sound && allRefusedCleanly(tally));
const { single, several, none, selfApprovals, faults, tally } = withdrawals;
const effects = { requests: options.wanted, callsAtOnce, single, several, none, selfApprovals, faults };
conclude({ proof: 'T4', passed, ...mutant, seed, ...effects, answers: tally.answers, busy: tally.busy, runs });

async function decideAll() {
  await using resources = new AsyncDisposableStack();
  const code = copyCode();
  resources.defer(() => code.remove());
  const fixture = await openFixture(postgres.url);
  resources.defer(() => fixture.close());
  const processes = await startProcesses(fixture, code);
  resources.defer(() => processes.close());
  return {
    runs: await approveRuns(fixture, processes, { rounds: options.rounds, chance }),
    withdrawals: await decideWithdrawals(fixture, processes, { wanted: options.wanted, chance }),
  };
}

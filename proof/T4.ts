import { prepareTemplate } from '../server/src/core/testing/template.ts';
import { startPostgres } from '../tools/postgres.ts';
import { chanceOf, seedOfThisRun } from './processes/chance.ts';
import { copyCode } from './processes/code.ts';
import { openSite } from './processes/site.ts';
import { conclude, isFull, tell } from './processes/verdict.ts';
import { isMutantCaught } from './T4/mutant.ts';
import { openOffices } from './T4/offices.ts';
import { approveRuns } from './T4/runs.ts';
import { callsAtOnce, nobodyMetAFault } from './T4/storm.ts';
import { decideWithdrawals } from './T4/withdrawals.ts';

/* Fifty decide the same request at once, the asker among them: it has one effect, by one of the others. */
const wish = isFull ? { wanted: 1_000, rounds: 10 } : { wanted: 20, rounds: 2 };
const seed = seedOfThisRun();
const chance = chanceOf(seed);

await using everything = new AsyncDisposableStack();
const postgres = await startPostgres();
everything.defer(() => postgres.stop());
await prepareTemplate(postgres.url);

const { withdrawals, runs } = await decideAll();
tell(`withdrawals: ${JSON.stringify(withdrawals)}`);
tell(`runs: ${JSON.stringify(runs)}`);
const mutant = await isMutantCaught(postgres.url, { wanted: 8, chance });
const passed = [withdrawals, runs].every(({ sound, tally }) => sound && nobodyMetAFault(tally));
const { single, several, none, selfApprovals, faults, tally } = withdrawals;
const effects = { requests: wish.wanted, callsAtOnce, single, several, none, selfApprovals, faults };
conclude({ proof: 'T4', passed, ...mutant, seed, ...effects, answers: tally.answers, busy: tally.busy, runs });

async function decideAll() {
  await using means = new AsyncDisposableStack();
  const code = copyCode();
  means.defer(() => code.remove());
  const site = await openSite(postgres.url);
  means.defer(() => site.close());
  const offices = await openOffices(site, code);
  means.defer(() => offices.close());
  return {
    runs: await approveRuns(site, offices, { rounds: wish.rounds, chance }),
    withdrawals: await decideWithdrawals(site, offices, { wanted: wish.wanted, chance }),
  };
}

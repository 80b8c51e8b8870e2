import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from '../processes/chance.ts';
import type { Code } from '../processes/code.ts';
import type { Program } from '../processes/program.ts';
import type { Fixture } from '../processes/fixture.ts';
import { logProgress } from '../processes/verdict.ts';
import type { ProcessGroup } from './process-group.ts';

const pollMs = 15;
const patienceMs = 30_000;
const longestPauseMs = 1_500;

const phases = ['planning', 'planned', 'paying', 'ending'] as const;
type Phase = (typeof phases)[number];
/** The longest wait, in each phase, before the kill. */
const longestWaitMs: Record<Phase, number> = { planning: 400, planned: 250, paying: 900, ending: 300 };

/** The phases of all active runs: two kinds run at the same time. */
async function phasesOf({ pool }: Fixture): Promise<Phase[]> {
  const { rows } = await pool.query<{ phase: Phase }>(`
    select case
      when state <> 'running' then state::text
      when (select count(*) from run_chunk where run_id = run.id and paid_at is null) <= 1 then 'ending'
      else 'paying'
    end as phase
    from run where state in ('planning', 'planned', 'running')`);
  return rows.map(({ phase }) => phase);
}

/** Returns when an active run is in this phase, or after a timeout in any phase. */
export async function until(fixture: Fixture, phase: Phase, signal: AbortSignal) {
  const latest = Date.now() + patienceMs;
  while (!signal.aborted && !(await phasesOf(fixture)).includes(phase) && Date.now() < latest) await wait(pollMs);
}

type Killing = {
  fixture: Fixture;
  processes: ProcessGroup;
  chance: Chance;
  kills: number;
  /** After this many kills the workers are restarted on the next of the versions. */
  rollEvery: number;
  versions: readonly Code[];
  /** Aborted when the driver has given up. */
  signal: AbortSignal;
};

/** Kills random processes at random times in every phase. Returns the kills per phase and the code changes. */
export async function killAtRandom({ fixture, processes, chance, kills, rollEvery, versions, signal }: Killing) {
  const struck: Record<string, number> = {};
  let rolls = 0;
  for (let kill = 1; kill <= kills && !signal.aborted; kill += 1) {
    const phase = phases[(kill - 1) % phases.length] ?? 'paying';
    await until(fixture, phase, signal);
    await wait(chance.below(longestWaitMs[phase]));
    const place = chance.one(processes.places.filter(({ program }) => program.isAlive()));
    const active = await phasesOf(fixture);
    const seen = active.includes(phase) ? phase : (active[0] ?? 'between runs');
    struck[seen] = (struck[seen] ?? 0) + 1;
    await processes.killAndRestart(place, chance.below(longestPauseMs));
    logProgress(`kill ${kill}: ${place.name} while ${seen}`);
    if (kill % rollEvery === 0) {
      await until(fixture, 'paying', signal);
      await processes.rollOnto(chosen(versions, rolls));
      rolls += 1;
      logProgress('the workers run on other code');
    } else await wait(chance.below(longestPauseMs));
  }
  return { kills: Object.values(struck).reduce((sum, times) => sum + times, 0), struck, rolls };
}

function chosen(versions: readonly Code[], turn: number) {
  const version = versions[turn % versions.length];
  if (!version) throw new Error('There is no other version to roll onto.');
  return version;
}

type Extra = { program: Program; name: string; signal: AbortSignal };

/** Kills the extra worker while it posts the transfers of a chunk. Returns the number of kills, 0 or 1. */
export async function killInAChunk({ pool }: Fixture, { program, name, signal }: Extra) {
  while (!signal.aborted) {
    const { rows } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = $1
         and state = 'active' and query like '%insert into transfer %'`,
      [name],
    );
    if (rows.length > 0) {
      await program.kill();
      logProgress(`${name} was killed in the middle of a chunk`);
      return 1;
    }
    await wait(pollMs);
  }
  return 0;
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from '../proof/processes/chance.ts';
import type { OwnCluster } from '../proof/processes/cluster.ts';
import type { Supervised } from '../proof/processes/supervisor.ts';
import { logProgress } from '../proof/processes/verdict.ts';

/** How long a killed program is away at most. */
const longestAwayMs = 2_000;

type Killing = {
  cluster: OwnCluster;
  apis: readonly Supervised[];
  workers: readonly Supervised[];
  receiver: Supervised;
  chance: Chance;
  /** The mean time between two kills. */
  everyMs: number;
  signal: AbortSignal;
};

const targets = ['API', 'worker', 'receiver', 'PostgreSQL'] as const;
export type Kills = Record<(typeof targets)[number], number>;

/**
 * Kills an API, a worker, the receiver and PostgreSQL at random times, in another order each round. A supervisor starts
 * programs again, and PostgreSQL restarts on the same data.
 */
export async function killAtRandom({ cluster, chance, everyMs, signal, ...programs }: Killing): Promise<Kills> {
  const kills: Kills = { API: 0, worker: 0, receiver: 0, PostgreSQL: 0 };
  let round: (keyof Kills)[] = [];
  for (;;) {
    await wait((0.5 + chance.below(1)) * everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return kills;
    if (round.length === 0) round = shuffled(targets, chance);
    const target = round.pop() ?? 'API';
    kills[target] += 1;
    if (target === 'PostgreSQL') await killPostgres(cluster, chance);
    else await killProgram(target, { ...programs, chance });
  }
}

function shuffled<T>(all: readonly T[], chance: Chance): T[] {
  const left = [...all];
  return all.map(() => left.splice(chance.whole(left.length), 1)).flat();
}

async function killPostgres(cluster: OwnCluster, chance: Chance) {
  const processes = await cluster.killAll();
  await wait(chance.below(longestAwayMs));
  const recoveryMs = await cluster.restart();
  logProgress(`killed the ${processes} processes of PostgreSQL, which is back after ${Math.round(recoveryMs)} ms`);
}

type Programs = Pick<Killing, 'apis' | 'workers' | 'receiver' | 'chance'>;

async function killProgram(target: 'API' | 'worker' | 'receiver', { apis, workers, receiver, chance }: Programs) {
  const program = { API: () => chance.one(apis), worker: () => chance.one(workers), receiver: () => receiver }[
    target
  ]();
  await program.kill(chance.below(longestAwayMs));
  logProgress(`killed ${program.name}`);
}

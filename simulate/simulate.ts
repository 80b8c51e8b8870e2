import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chanceOf } from '../proof/processes/chance.ts';
import type { OwnCluster } from '../proof/processes/cluster.ts';
import type { Code } from '../proof/processes/code.ts';
import { logProgress } from '../proof/processes/verdict.ts';
import { freePort } from '../tools/ports.ts';
import { signIn } from './administrator.ts';
import { openBackOffice } from './back-office.ts';
import { factsOfBursar } from './bursar-facts.ts';
import { differencesOf } from './differences.ts';
import { followEvents } from './event-file.ts';
import { administrators, openInstallation, startReceiver } from './installation.ts';
import { killAtRandom } from './killer.ts';
import { checkStories, creditRuns, factsOfPlatform } from './own-facts.ts';
import { countsOf, openPlatform } from './platform.ts';
import { play } from './players.ts';
import { payRuns } from './runs.ts';
import { settle } from './settle.ts';
import { offeredDays, prepare } from './setup.ts';
import { turnsOf } from './turns.ts';

export type Simulation = {
  code: Code;
  /** The name of its database. */
  name: string;
  users: number;
  rate: number;
  seconds: number;
  seed: number;
  /** The mean time between two kills. Without it, nothing is killed. */
  killEveryMs: number | undefined;
  /** How long it waits at the end while nothing changes. */
  patienceMs: number;
};

const longestPauseMs = 4_000;
const runPauseMs = 8_000;
const shownDifferences = 10;

/** Plays a platform against an own installation, and compares the books of both at the end. */
export async function simulate(cluster: OwnCluster, simulation: Simulation) {
  const { users, rate, seconds, seed, killEveryMs } = simulation;
  await using resources = new AsyncDisposableStack();
  const stage = await openStage(cluster, simulation, resources);
  const { platform, first, second, installation, receiver } = stage;
  const { world, sender } = platform;
  const office = openBackOffice({ first, second, world });
  resources.defer(() => office.stop());

  const signal = AbortSignal.timeout(seconds * 1_000);
  const turns = turnsOf(world, { seed, total: Math.ceil(seconds * rate) });
  const killing = { cluster, ...installation, receiver, chance: chanceOf(seed + 3), signal };
  const [kills] = await Promise.all([
    killEveryMs === undefined ? null : killAtRandom({ ...killing, everyMs: killEveryMs }),
    play({ world, sender, days: offeredDays }, { turns, rate, signal }),
    payRuns({ administrator: first, world, chance: chanceOf(seed + 2), pauseMs: runPauseMs, signal }),
  ]);
  logProgress('the users have stopped; waiting until all is settled');
  const left = await settle({ ...stage, administrator: first, patienceMs: simulation.patienceMs });
  if (left !== undefined) world.fault(`It was not settled in time. What is left: ${left}`);
  await office.stop();

  logProgress('comparing the books');
  const compared = await compare(stage);
  const faults = [...world.faults];
  const passed = compared.isSound && faults.length === 0 && compared.differences === 0;
  return { passed, seed, users, rate, played: seconds, kills, ...compared, faults, counts: countsOf(platform) };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

/** Installs Bursar, signs administrators in, and lets the receiver and the platform start. */
async function openStage(
  cluster: OwnCluster,
  { code, name, users, seed }: Simulation,
  resources: AsyncDisposableStack,
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-simulator-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const installation = await openInstallation(cluster, { code, name });
  resources.defer(() => installation.stop());
  const { addresses } = installation;
  const first = await signIn({ addresses, username: administrators[0] });
  const second = await signIn({ addresses, username: administrators[1] });
  const [port, file] = [await freePort(), path.join(folder, 'events.jsonl')];
  const { apiKey, secret } = await prepare(
    { administrator: first, approver: second },
    `http://127.0.0.1:${port}/events`,
  );
  const receiver = await startReceiver({ file, port, secret });
  resources.defer(() => receiver.stop());
  const platform = openPlatform({ addresses, apiKey, users, seed, series: seed, longestPauseMs });
  const { world, handle } = platform;
  const following = followEvents(file, { onEvent: handle, onRepeated: () => world.count('messages received again') });
  resources.defer(() => following.stop());
  return { installation, first, second, receiver, platform };
}

async function compare({ installation, first, receiver, platform }: Stage) {
  const { world, sender, handled } = platform;
  await creditRuns(world, sender.next());
  checkStories(world);
  const own = factsOfPlatform(world, handled.values());
  const differences = differencesOf({ platform: own, bursar: await factsOfBursar(first, sender.next()) });
  const ledger = await installation.command('ledger', 'verify', '--full');
  const programs = [...installation.apis, ...installation.workers, receiver];
  return {
    isSound: ledger !== undefined,
    compared: own.size,
    differences: differences.length,
    firstDifferences: differences.slice(0, shownDifferences),
    ledger: ledger ?? 'not sound',
    endedByItself: programs.reduce((sum, program) => sum + program.endedByItself(), 0),
  };
}

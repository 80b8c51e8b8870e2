import { setTimeout as wait } from 'node:timers/promises';
import { type Chance, chanceOf, seedOfThisRun } from './processes/chance.ts';
import { conclude, isFull, logProgress } from './processes/verdict.ts';
import { postWithoutEnd } from './T1/clients.ts';
import { openCluster, type OwnCluster } from './processes/cluster.ts';
import { type Ledger, openLedger } from './T1/ledger.ts';

/* Kills every PostgreSQL process while transfers are posted: acknowledged transfers must survive the restart. */
const kills = isFull ? 100 : 3;
const controlKillsAtMost = 10;
const shortestMs = 300;
const longestMs = 1_500;
const seed = seedOfThisRun();

type Fixture = { cluster: OwnCluster; ledger: Ledger; chance: Chance };

async function open(durable: boolean) {
  const cluster = await openCluster();
  const ledger = await openLedger(cluster, { durable });
  const close = async () => {
    await ledger.close();
    await cluster.remove();
  };
  return { cluster, ledger, chance: chanceOf(seed), close };
}

async function killOnce({ cluster, ledger, chance }: Fixture) {
  const clients = postWithoutEnd(ledger, chance);
  await wait(shortestMs + chance.below(longestMs - shortestMs));
  const processes = await cluster.killAll();
  const { acknowledged, failed } = await clients.stop();
  const recoveryMs = await cluster.restart();
  const lost = await ledger.lost(acknowledged);
  return { processes, acknowledged, failed, recoveryMs, lost: lost.length };
}

async function killRepeatedly() {
  await using resources = new AsyncDisposableStack();
  const fixture = await open(true);
  resources.defer(() => fixture.close());
  const all: string[] = [];
  const faults: string[] = [];
  let recoveryMs = 0;
  let interrupted = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    const once = await killOnce(fixture);
    all.push(...once.acknowledged);
    interrupted += once.failed;
    recoveryMs = Math.max(recoveryMs, once.recoveryMs);
    faults.push(...(await fixture.ledger.faults()));
    logProgress(
      `kill ${kill} of ${once.processes} processes: ${once.acknowledged.length} acknowledged, ${once.lost} lost`,
    );
  }
  const lost = (await fixture.ledger.lost(all)).length;
  const halves = await fixture.ledger.halves();
  return { acknowledged: all.length, interrupted, lost, halves, faults, recoveryMs: Math.round(recoveryMs) };
}

/** A database that acknowledges a commit before it is on disk must be seen to lose transfers. */
async function isControlCaught() {
  await using resources = new AsyncDisposableStack();
  const fixture = await open(false);
  resources.defer(() => fixture.close());
  for (let kill = 1; kill <= controlKillsAtMost; kill += 1) {
    const { acknowledged, lost } = await killOnce(fixture);
    logProgress(`control, kill ${kill}: ${acknowledged.length} acknowledged, ${lost} lost`);
    if (lost > 0) return { mutantCaught: true, mutantKills: kill, mutantLost: lost };
  }
  return { mutantCaught: false, mutantKills: controlKillsAtMost, mutantLost: 0 };
}

const killed = await killRepeatedly();
const control = await isControlCaught();
const passed = killed.acknowledged > 0 && killed.lost === 0 && killed.halves === 0 && killed.faults.length === 0;
conclude({ proof: 'T1', passed, ...control, seed, kills, ...killed });

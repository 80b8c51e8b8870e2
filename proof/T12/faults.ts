import { setTimeout as wait } from 'node:timers/promises';
import { faultsOf, type Fixture } from '../processes/fixture.ts';
import type { OwnCluster } from '../processes/cluster.ts';
import { logProgress } from '../processes/verdict.ts';
import type { Senders } from './senders.ts';
import type { openSlowProxy } from './slow-proxy.ts';
import type { openSmallDisk } from './small-disk.ts';

type World = { fixture: Fixture; senders: Senders };
type SmallDisk = Awaited<ReturnType<typeof openSmallDisk>>;
type SlowProxy = Awaited<ReturnType<typeof openSlowProxy>>;

const clients = 20;
const roundTripMs = 2_000;
const stormClients = 500;
/** Keeps the connections of the pool in use, so that the storm exceeds it on a fast machine as well. */
const stormRoundTripMs = 20;

/** Fills the disk while deposits arrive, again and again, and makes room again. */
export async function fillDisk({ fixture, senders }: World, { cluster, disk, times }: DiskOptions) {
  let slowestMs = 0;
  let restarts = 0;
  for (let time = 1; time <= times; time += 1) {
    const stop = senders.keepSending(clients);
    await wait(500);
    const before = senders.seen.refused;
    for (const until = Date.now() + 8_000; Date.now() < until && senders.seen.refused === before; await wait(50)) {
      await disk.fill();
    }
    const isHit = senders.seen.refused > before;
    await wait(1_000);
    await disk.empty();
    // PostgreSQL stops for good if even its recovery finds no room, and a supervisor starts it again.
    if (await cluster.hasEnded()) {
      restarts += 1;
      await cluster.restart();
    }
    // The time in which PostgreSQL recovers is its own.
    await cluster.answers();
    slowestMs = Math.max(slowestMs, await senders.recoveredAfterMs());
    await stop();
    logProgress(`full disk ${time}: ${isHit ? 'refused' : 'never refused'}, recovered after ${slowestMs} ms`);
  }
  return { ...(await summaryOf({ fixture, senders })), times, restarts, recoveredAfterMs: slowestMs };
}
type DiskOptions = { cluster: OwnCluster; disk: SmallDisk; times: number };

/** Makes every round trip to the database take two seconds longer, for a while. */
export async function slowDatabase({ fixture, senders }: World, { proxy, seconds }: SlowOptions) {
  const stop = senders.keepSending(clients);
  await wait(500);
  proxy.slowBy(roundTripMs);
  await wait(seconds * 1_000);
  proxy.slowBy(0);
  const recoveredAfterMs = await senders.recoveredAfterMs();
  await stop();
  return { ...(await summaryOf({ fixture, senders })), seconds, recoveredAfterMs };
}
type SlowOptions = { proxy: SlowProxy; seconds: number };

/** Five hundred clients call at once, in waves, while the process has ten connections. */
export async function storm({ fixture, senders }: World, { proxy, waves }: { proxy: SlowProxy; waves: number }) {
  proxy.slowBy(stormRoundTripMs);
  for (let wave = 0; wave < waves; wave += 1) await senders.sendAtOnce(stormClients);
  const recoveredAfterMs = await senders.recoveredAfterMs();
  proxy.slowBy(0);
  return { ...(await summaryOf({ fixture, senders })), waves, recoveredAfterMs };
}

async function summaryOf({ fixture, senders }: World) {
  const { acknowledged, refused, refusedAtOnce, withoutRetryAfter, wrong, lost: unanswered } = senders.seen;
  return {
    acknowledged: acknowledged.length,
    acknowledgedAndLost: await senders.countLost(fixture),
    refused,
    refusedAtOnce,
    withoutRetryAfter,
    unanswered,
    wrong: wrong.length,
    firstWrong: wrong.slice(0, 3),
    faults: await faultsOf(fixture),
  };
}

export type Summary = Awaited<ReturnType<typeof summaryOf>> & { recoveredAfterMs: number };

const recoveredWithinMs = 5_000;

/** Nothing acknowledged is lost, what cannot be done is refused with 503 and Retry-After, and it is over soon. */
export function isSound(summary: Summary) {
  const { acknowledged, acknowledgedAndLost, withoutRetryAfter, unanswered, wrong, faults } = summary;
  const isKept = acknowledged > 0 && acknowledgedAndLost === 0 && faults.length === 0;
  const isRefused = withoutRetryAfter === 0 && unanswered === 0 && wrong === 0;
  return isKept && isRefused && summary.recoveredAfterMs <= recoveredWithinMs;
}

/** What exceeds the queue of ten connections is refused at once: at least a fifth of the clients. */
export const isBounded = ({ refusedAtOnce, waves }: Summary & { waves: number }) =>
  refusedAtOnce >= (waves * stormClients) / 5;

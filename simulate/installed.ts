import { setTimeout as wait } from 'node:timers/promises';
import { logProgress } from '../proof/processes/verdict.ts';
import type { Options } from './options.ts';
import { countsOf, newSeries, openPlatform, type Platform } from './platform.ts';
import { play } from './players.ts';
import { turnsOf } from './turns.ts';

const pollMs = 1_000;
const longestPauseMs = 10_000;
/** The plans that every installation starts with. */
export const usualDays = [30, 60] as const;

/**
 * Plays a platform against an installation, which is not killed. It has only an API key, so it reads the events from
 * the cursor, and cannot compare balances.
 */
export async function playAgainst(
  { url, key }: NonNullable<Options['installation']>,
  { users, rate, seconds, seed }: Pick<Options, 'users' | 'rate' | 'seconds' | 'seed'>,
) {
  const settings = { addresses: [url], apiKey: key, users, seed, series: newSeries(), longestPauseMs };
  const platform = openPlatform(settings);
  const { world, sender, payments } = platform;
  const stopping = new AbortController();
  const reading = readEvents(platform, await newestCursor(platform), stopping.signal);
  const turns = turnsOf(world, { seed, total: Math.ceil(seconds * rate) });
  const signal = AbortSignal.timeout(seconds * 1_000);
  await play({ world, sender, days: usualDays }, { turns, rate, signal });
  logProgress('the users have stopped; waiting until all reports are answered');
  while (!payments.isIdle()) await wait(pollMs);
  stopping.abort();
  await reading;
  return {
    passed: world.faults.length === 0,
    seed,
    users,
    rate,
    played: seconds,
    faults: world.faults,
    counts: countsOf(platform),
  };
}

async function newestCursor({ sender }: Platform) {
  let cursor = '0';
  for await (const event of sender.next().eventsAfter()) cursor = event.seq;
  return cursor;
}

async function readEvents({ sender, handle }: Platform, from: string, signal: AbortSignal) {
  let cursor = from;
  while (!signal.aborted) {
    for await (const event of sender.next().eventsAfter(cursor)) {
      handle(event);
      cursor = event.seq;
    }
    await wait(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

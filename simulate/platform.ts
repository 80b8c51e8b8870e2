import { handlerOf } from './events.ts';
import { openPayments } from './payments.ts';
import { openSender } from './sender.ts';
import { openWorld } from './world.ts';

type Settings = {
  addresses: readonly string[];
  apiKey: string;
  users: number;
  seed: number;
  series: number;
  longestPauseMs: number;
};

export type Platform = ReturnType<typeof openPlatform>;

/** Opens a platform: what it knows, how it calls Bursar, how it sends withdrawals, and how it handles events. */
export function openPlatform({ addresses, apiKey, users, seed, series, longestPauseMs }: Settings) {
  const world = openWorld({ users, seed, series });
  const sender = openSender({ addresses, apiKey, fault: world.fault });
  const payments = openPayments({ world, sender, seed, longestPauseMs });
  return { world, sender, payments, ...handlerOf(world, payments) };
}

/** A series that no earlier simulation against the same installation has had. */
export const newSeries = () => Math.floor(Date.now() / 1_000) % 100_000_000;

export const countsOf = ({ world }: Platform) =>
  Object.fromEntries([...world.counts].toSorted(([one], [other]) => one.localeCompare(other)));

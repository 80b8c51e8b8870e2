import { stakesOf } from './money.ts';
import { joinedOf, sponsorOf } from './users.ts';
import type { World } from './world.ts';

/** Computes all team figures. Sponsors precede their referrals, so one pass from last to first is enough. */
export function teamsOf(world: World) {
  const direct = new BigInt64Array(world.users);
  const network = new BigInt64Array(world.users);
  const sol = new BigInt64Array(world.users);
  const usd = new BigInt64Array(world.users);
  const add = (figures: BigInt64Array, sponsor: number, more: bigint) => {
    figures[sponsor] = (figures[sponsor] ?? 0n) + more;
  };
  for (let index = world.users - 1; index > 0; index -= 1) {
    const sponsor = sponsorOf(index);
    if (sponsor === undefined) continue;
    const stakes = stakesOf(world, joinedOf(world, index));
    add(direct, sponsor, 1n);
    add(network, sponsor, 1n + (network[index] ?? 0n));
    add(sol, sponsor, (sol[index] ?? 0n) + stakes.reduce((sum, { amountSol }) => sum + BigInt(amountSol), 0n));
    add(usd, sponsor, (usd[index] ?? 0n) + stakes.reduce((sum, { amountUsd }) => sum + BigInt(amountUsd), 0n));
  }
  return (index: number) => ({
    referralCount: direct[index] ?? 0n,
    totalNetwork: network[index] ?? 0n,
    volumeSol: sol[index] ?? 0n,
    volumeUsd: usd[index] ?? 0n,
  });
}

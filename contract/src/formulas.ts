/** Hundred-millionths: a rate in basis points of a share in basis points. */
const whole = 100_000_000n;

type Shares = { baseReward: number; bonusReward: number; loyaltyReward: number };

type StakeDay = { amount: bigint; rate: number; ranked: boolean; shares: Shares };

/** What a stake's day is worth, and where each part of it goes. Rounded down; what that leaves stays in the treasury. */
export function stakeDay({ amount, rate, ranked, shares: { baseReward, bonusReward, loyaltyReward } }: StakeDay) {
  const share = (basisPoints: number) => (amount * BigInt(rate) * BigInt(basisPoints)) / whole;
  const reward = share(10_000);
  const base = share(baseReward);
  const bonus = ranked ? share(bonusReward) : 0n;
  const loyalty = share(loyaltyReward);
  const unranked = ranked ? 0n : share(bonusReward);
  const unshared = share(10_000 - baseReward - bonusReward - loyaltyReward);
  const rounded = reward - base - bonus - loyalty - unranked - unshared;
  return { reward, base, bonus, loyalty, unranked, unshared, rounded };
}

type Holder = { id: string; shares: bigint };

/** Largest remainder: everyone gets their part rounded down, and who lost most by that gets one of the units left over. */
export function splitPool(pool: bigint, holders: readonly Holder[]): Map<string, bigint> {
  const all = holders.reduce((sum, { shares }) => sum + shares, 0n);
  if (all === 0n) return new Map();
  const parts = holders.map(({ id, shares }) => ({ id, part: (pool * shares) / all, lost: (pool * shares) % all }));
  const left = pool - parts.reduce((sum, { part }) => sum + part, 0n);
  const byLoss = parts.toSorted((one, other) =>
    one.lost === other.lost ? compare(one.id, other.id) : compare(other.lost, one.lost),
  );
  return new Map(byLoss.map(({ id, part }, place) => [id, BigInt(place) < left ? part + 1n : part]));
}

const compare = <V>(one: V, other: V) => (one < other ? -1 : one > other ? 1 : 0);

/** The sponsor's share of the first stake of whom they brought. */
export const referralBonus = (firstStake: bigint, reward: number) => (firstStake * BigInt(reward)) / 10_000n;

/** What of a pool is shared out. */
export const poolOf = (amount: bigint, percentage: number) => (amount * BigInt(percentage)) / 10_000n;

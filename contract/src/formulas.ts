/** The divisor for a rate in parts per million times a share in basis points. */
const whole = 10_000_000_000n;

type Shares = { baseReward: number; bonusReward: number; loyaltyReward: number };

type StakeDay = { amount: bigint; rate: number; ranked: boolean; shares: Shares };

/** Splits the reward of a stake for one day into its parts. Each is rounded down; the treasury keeps the remainder. */
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

/** Splits a pool by the largest remainder method: parts are rounded down, and the largest losers get one unit more. */
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

/** The sponsor's share of the first stake of a referred user. */
export const referralBonus = (firstStake: bigint, reward: number) => (firstStake * BigInt(reward)) / 10_000n;

/** The part of the pool that is distributed. The percentage is in basis points. */
export const poolOf = (amount: bigint, percentage: number) => (amount * BigInt(percentage)) / 10_000n;

import { type Asset, writeAmount } from 'contract/core/money.ts';

/** Where money of a user is, or was before: `outside` of the platform, or in what it pays as rewards. */
export type Account = 'available' | 'staked' | 'held' | 'receivable' | 'outside' | 'rewards';

export type Move = { user: string; asset: Asset; from: Account; to: Account; units: bigint };

type Place = { user: string; asset: Asset; account: Account };

/** Opens books of double entry by user and asset, in smallest units. */
export function openBooks() {
  const balances = new Map<string, Place & { units: bigint }>();
  const add = (place: Place, units: bigint) => {
    const key = `${place.user} ${place.asset} ${place.account}`;
    balances.set(key, { ...place, units: (balances.get(key)?.units ?? 0n) + units });
  };
  return {
    move({ user, asset, from, to, units }: Move) {
      add({ user, asset, account: from }, -units);
      add({ user, asset, account: to }, units);
    },
    unitsOf: ({ user, asset, account }: Place) => balances.get(`${user} ${asset} ${account}`)?.units ?? 0n,
    /** The balances that are not zero, as facts to compare. */
    *facts(): Iterable<[string, string]> {
      for (const [key, { asset, units }] of balances) {
        if (units !== 0n) yield [`balance ${key}`, writeAmount(units, asset)];
      }
    },
  };
}

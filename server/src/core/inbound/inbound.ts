import type { ItemResult } from 'contract/core/inbound.ts';
import { inKeyTransaction } from '#server/core/auth/actor-transaction.ts';
import type { ApiKey } from '#server/core/auth/api-keys.ts';
import { type Database, type Tx, wasOvertaken } from '#server/core/db/db.ts';
import { maintenanceSecondsLeft } from '#server/core/db/maintenance.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { KnownUser } from './queries.ts';

/** A transaction is overtaken by one that stores the same items or locks the same users; that ends soon. */
const attempts = 5;

type Caller = { database: Database; apiKey: ApiKey };

/**
 * Runs the transaction of a call that brings in items, and repeats it if another transaction overtook it. Throws
 * `UnderMaintenance` with the time until the end of the maintenance window.
 */
export async function inInboundTransaction<T>({ database, apiKey }: Caller, act: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inKeyTransaction(database, apiKey, async (tx) => {
        const retryAfterSeconds = await maintenanceSecondsLeft(tx);
        if (retryAfterSeconds !== undefined) throw new Refusal('UnderMaintenance', { retryAfterSeconds });
        return act(tx);
      });
    } catch (error) {
      if (attempt === attempts || !wasOvertaken(error)) throw error;
    }
  }
}

type Deciding<Item, Code extends string> = {
  items: readonly Item[];
  /** What is stored under the ids of the items, written like `contentOf`. */
  stored: ReadonlyMap<string, string>;
  /** Everything that the platform said about an item. */
  contentOf: (item: Item) => string;
  /** Returns why a new item cannot be stored. It is asked once for each, in their order, so it can keep a balance. */
  refuse: (item: Item) => Code | undefined;
  texts: { readonly [C in Code | 'IdReused']: string };
};

/** Decides about each item in their order, and returns the new ones to store. */
export function decideItems<Item extends { id: string }, Code extends string>({
  items,
  stored,
  contentOf,
  refuse,
  texts,
}: Deciding<Item, Code>) {
  const known = new Map(stored);
  const added: Item[] = [];
  const results = items.map((item): ItemResult<Code | 'IdReused'> => {
    const { id } = item;
    const content = contentOf(item);
    const before = known.get(id);
    if (before === content) return { id, outcome: 'duplicate' };
    const code = before === undefined ? refuse(item) : 'IdReused';
    if (code !== undefined) return { id, outcome: 'refused', code, reason: texts[code] };
    known.set(id, content);
    added.push(item);
    return { id, outcome: 'stored' };
  });
  return { added, results };
}

export const refuseUser = (user: KnownUser | undefined) =>
  user ? (user.isDeleted ? 'UserDeleted' : undefined) : 'UserUnknown';

/** The clock of the platform may be ahead. */
const skewMs = 300_000;
const earliestMs = Date.parse('2000-01-01');

export const isPast = (at: Date, now: Date) => at.getTime() >= earliestMs && at.getTime() <= now.getTime() + skewMs;

/** The largest amount in smallest units: above any real one, and far below where sums overflow a bigint. */
const largest = 10n ** 15n;

export const isPayable = (units: bigint | undefined): units is bigint =>
  units !== undefined && units > 0n && units <= largest;

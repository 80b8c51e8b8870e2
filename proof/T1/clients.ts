import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { deposit, postDeposits } from '../../server/src/core/testing/transfers.ts';
import type { Chance } from '../processes/chance.ts';
import type { Ledger } from './ledger.ts';

const clients = 8;
const pauseMs = 20;

/** Starts clients that post a deposit of two transfers at a time and record what the database acknowledged, until `stop`. */
export function postWithoutEnd({ database, users }: Ledger, chance: Chance) {
  const acknowledged: string[] = [];
  const stopping = new AbortController();
  let failed = 0;
  const client = async () => {
    while (!stopping.signal.aborted) {
      const causeId = randomUUID();
      const userId = chance.one(users);
      const units = BigInt(1 + chance.whole(1_000_000));
      const transfers = (['USD', 'SLX'] as const).map((asset, part) =>
        deposit({ userId, asset, units, causeId, part }),
      );
      await database
        .transaction()
        .execute((tx) => postDeposits(tx, transfers))
        .then(
          () => void acknowledged.push(causeId),
          async () => {
            failed += 1;
            await wait(pauseMs);
          },
        );
    }
  };
  const all = Array.from({ length: clients }, client);
  return {
    acknowledged,
    async stop() {
      stopping.abort();
      await Promise.all(all);
      return { acknowledged, failed };
    },
  };
}

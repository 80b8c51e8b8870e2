import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { type Database, type Pool, plainQueries } from '#server/core/db/db.ts';
import type { Log } from '#server/core/log.ts';
import { Refusal } from '#server/core/refusal.ts';
import { addUsage, type Used } from './api-key-queries.ts';
import type { ApiKey } from './api-keys.ts';

const hourMs = 3_600_000;
const flushMs = 5_000;

export type ApiKeyUsage = ReturnType<typeof openApiKeyUsage>;

/**
 * Limits the requests of each key per minute, over all processes, and counts them by hour. Counts are kept in memory for
 * a few seconds, so a killed process loses these; the limit does not depend on them.
 */
export function openApiKeyUsage({ database, pool, log }: { database: Database; pool: Pool; log: Log }) {
  const limiter = new RateLimiterPostgres({
    storeClient: plainQueries(pool),
    storeType: 'client',
    tableName: 'api_key_rate',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: '',
    // Each key has its own limit, which is compared below.
    points: Number.MAX_SAFE_INTEGER,
    duration: 60,
  });
  let counted = new Map<string, Used>();

  const flush = async () => {
    const used = [...counted.values()];
    if (used.length === 0) return;
    counted = new Map();
    await addUsage(database, used).catch((error: unknown) => log.warn({ error }, 'the usage of keys was not stored'));
  };
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();

  return {
    /** Counts a request before it is served. Throws `TooManyRequests` above the limit of the key. */
    async charge({ id, requestsPerMinute }: Pick<ApiKey, 'id' | 'requestsPerMinute'>) {
      const { consumedPoints, msBeforeNext } = await limiter.consume(id).catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused;
        throw refused;
      });
      if (consumedPoints <= requestsPerMinute) return;
      throw new Refusal('TooManyRequests', { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) });
    },

    count(secretId: string, { failed, now = new Date() }: { failed: boolean; now?: Date }) {
      const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
      const key = `${secretId} ${hour.getTime()}`;
      const { requests = 0, errors = 0 } = counted.get(key) ?? {};
      counted.set(key, { secretId, hour, requests: requests + 1, errors: errors + (failed ? 1 : 0), lastUsedAt: now });
    },

    flush,

    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

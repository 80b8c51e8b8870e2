import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { type Pool, plainQueries } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { openAttemptWindow } from './attempt-window.ts';

/**
 * Allowed failures per window. An account is never locked, because each known device has its own lane. `own` counts
 * wrong current passwords of an administrator who is signed in, and `site` a /48 of IPv6.
 */
const limits = { network: 40, site: 160, account: 10, device: 10, own: 10 } as const;
const windowSeconds = 15 * 60;

/** What is known of an attempt before any query, and not its username: names are easily made up. */
const counted: ReadonlySet<keyof typeof limits> = new Set(['network', 'site', 'device']);

/** About 20 MB of memory. */
const keysAtMost = 100_000;

export type Lane = { name: keyof typeof limits; key: string };
export type Throttle = ReturnType<typeof openThrottle>;

/** Attempts of strangers are counted with connections of their own, so that nobody else waits behind them. */
export function openThrottle(pools: { known: Pool; strangers: Pool }) {
  const limiterOf = (name: keyof typeof limits, pool: Pool) =>
    new RateLimiterPostgres({
      storeClient: plainQueries(pool),
      storeType: 'client',
      tableName: 'login_attempt',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: limits[name],
      duration: windowSeconds,
    });
  const limiters = {
    network: limiterOf('network', pools.strangers),
    site: limiterOf('site', pools.strangers),
    account: limiterOf('account', pools.strangers),
    device: limiterOf('device', pools.known),
    own: limiterOf('own', pools.known),
  };
  const inMemory = openAttemptWindow({ seconds: windowSeconds, keysAtMost });

  return {
    /** Counts the attempt in this process, before its first query. */
    chargeInMemory(charged: Lane[]) {
      const lanes = charged.filter(({ name }) => counted.has(name));
      const keys = lanes.map((lane) => ({ key: keyOf(lane), limit: limits[lane.name] }));
      const seconds = inMemory.charge(keys);
      if (seconds !== undefined) throw new Refusal('TooManyAttempts', { retryAfterSeconds: seconds });
    },

    refundInMemory(charged: Lane[]) {
      for (const lane of charged) inMemory.refund(keyOf(lane));
    },

    /** Counts the attempt as failed before it is tried, so that concurrent attempts cannot exceed the limit. */
    async charge(charged: Lane[]) {
      for (const { name, key } of charged) {
        await limiters[name].consume(key).catch((refused: unknown) => {
          if (!(refused instanceof RateLimiterRes)) throw refused;
          throw new Refusal('TooManyAttempts', { retryAfterSeconds: Math.ceil(refused.msBeforeNext / 1000) });
        });
      }
    },

    async refund(charged: Lane[]) {
      for (const { name, key } of charged) await limiters[name].reward(key);
    },
  };
}

const keyOf = ({ name, key }: Lane) => `${name}:${key}`;

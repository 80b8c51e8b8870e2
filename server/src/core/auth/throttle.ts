import { isIPv6 } from 'node:net';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { type Pool, plainQueries } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';

/** Allowed failures per window. An account is never locked, because each known device has its own lane. */
const lanes = { network: 40, account: 10, device: 10 } as const;
const windowSeconds = 15 * 60;

export type Lane = { name: keyof typeof lanes; key: string };
export type Throttle = ReturnType<typeof openThrottle>;

export function openThrottle(pool: Pool) {
  const limiterOf = (name: keyof typeof lanes) =>
    new RateLimiterPostgres({
      storeClient: plainQueries(pool),
      storeType: 'client',
      tableName: 'login_attempt',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: lanes[name],
      duration: windowSeconds,
    });
  const limiters = { network: limiterOf('network'), account: limiterOf('account'), device: limiterOf('device') };

  return {
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

/** Returns the network that shares a lane: an attacker can get a whole /24 or /64 as easily as one address. */
export function networkOf(address: string) {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return networkOf(mapped);
  if (!isIPv6(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const full = address.includes('::')
    ? [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
    : before;
  const network = full.slice(0, 4).map((group) => Number.parseInt(group || '0', 16).toString(16));
  return `${network.join(':')}::/64`;
}

import pLimit from 'p-limit';
import type { Database } from '#server/core/db/db.ts';
import { keyedHash, keyedHashes } from '#server/core/keys.ts';
import { Refusal } from '#server/core/refusal.ts';
import { networkOf, siteOf } from './networks.ts';
import { isKnownDevice } from './queries.ts';
import { fingerprint, type Queue } from './secrets.ts';
import type { Lane, Throttle } from './throttle.ts';

/** `strangers` is the same database with a few connections of its own. */
export type LaneDeps = { database: Database; strangers: Database; throttle: Throttle };

/** `device` comes from a cookie that this installation has signed. */
export type Attempt = { username: string; address: string; device: string | undefined };

type Resources = { database: Database; queue: Queue };

/** With one hash at a time, more attempts would only wait longer, and further ones are refused at once. */
const strangersAtOnce = pLimit(4);
const strangersWaiting = 60;

/**
 * Tries to sign in with the connections and the queue of a known device, or with those of strangers, so that a flood of
 * strangers cannot refuse an administrator on a known device. Counts the attempt as failed unless `tryPassword` returns
 * something. Throws `TooManyAttempts` or `Busy`.
 */
export async function inLane<T>(
  deps: LaneDeps,
  attempt: Attempt,
  tryPassword: (resources: Resources) => Promise<T | undefined>,
) {
  const { database, throttle } = deps;
  const { username, device } = attempt;
  const asStranger = () => admitStranger(deps, attempt, tryPassword);
  if (device === undefined) return asStranger();

  const lanes = [deviceLane(device)];
  throttle.chargeInMemory(lanes);
  await throttle.charge(lanes);
  const isKnown = await isKnownDevice(database, username, keyedHashes('devices', device));
  const tried = isKnown
    ? await refundUnlessTried(throttle, lanes, () => tryPassword({ database, queue: 'known' }))
    : await asStranger();
  if (tried !== undefined) await refund(throttle, lanes);
  return tried;
}

async function admitStranger<T>(
  { strangers, throttle }: LaneDeps,
  attempt: Attempt,
  tryPassword: (resources: Resources) => Promise<T | undefined>,
) {
  const lanes = strangerLanes(attempt);
  throttle.chargeInMemory(lanes);
  if (strangersAtOnce.pendingCount >= strangersWaiting) {
    throttle.refundInMemory(lanes);
    throw new Refusal('Busy', { retryAfterSeconds: 2 });
  }
  const tried = await strangersAtOnce(async () => {
    await throttle.charge(lanes);
    return refundUnlessTried(throttle, lanes, () => tryPassword({ database: strangers, queue: 'strangers' }));
  });
  if (tried !== undefined) await refund(throttle, lanes);
  return tried;
}

/** An attempt does not count as failed if its password was not checked, as when the server is busy. */
async function refundUnlessTried<T>(throttle: Throttle, lanes: Lane[], work: () => Promise<T>) {
  try {
    return await work();
  } catch (error) {
    await refund(throttle, lanes);
    throw error;
  }
}

export async function refund(throttle: Throttle, lanes: Lane[]) {
  throttle.refundInMemory(lanes);
  await throttle.refund(lanes);
}

const strangerLanes = ({ username, address }: Attempt): Lane[] => [
  ...networkLanes(address),
  { name: 'account', key: fingerprint(username.toLowerCase()).toString('base64url') },
];

function networkLanes(address: string): Lane[] {
  const network: Lane = { name: 'network', key: networkOf(address) };
  const site = siteOf(address);
  return site === undefined ? [network] : [network, { name: 'site', key: site }];
}

/** A known device has its own lane, and does not share its connections with strangers. */
export const lanesFor = (deps: LaneDeps, { address, device }: Omit<Attempt, 'username'>) =>
  device === undefined
    ? { lanes: networkLanes(address), database: deps.strangers }
    : { lanes: [deviceLane(device)], database: deps.database };

const deviceLane = (device: string): Lane => ({
  name: 'device',
  key: keyedHash('devices', device).toString('base64url'),
});

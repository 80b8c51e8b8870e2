import { hash as digest, randomBytes } from 'node:crypto';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { Refusal } from '#server/core/refusal.ts';

/** Returns 256 random bits, so that storing an unsalted hash of them is safe. */
export const newSecret = () => randomBytes(32).toString('base64url');

export const fingerprint = (secret: string) => digest('sha256', secret, 'buffer');

const argon2id: Algorithm.Argon2id = 2;
const cost = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash takes a core and 19 MB for about 20 ms: a longer queue would let a flood of sign-ins block all other work. */
const longestWait = 60;

/**
 * Unknown devices have their own queue, so that administrators on known devices never wait behind them. They hash one
 * password at a time, so that a flood leaves threads and a core to all others.
 */
const queues = { known: pLimit(2), strangers: pLimit(1) };
export type Queue = keyof typeof queues;

function enqueueHash<T>(queue: Queue, work: () => Promise<T>) {
  if (queues[queue].pendingCount >= longestWait) throw new Refusal('Busy', { retryAfterSeconds: 2 });
  return queues[queue](work);
}

export const hashPassword = (password: string) => enqueueHash('known', () => hash(password, cost));

const dummyHash = hashPassword(newSecret());

/** Verifies a dummy hash if there is no such administrator, so that the response time does not reveal who exists. */
export async function passwordFits(password: string, passwordHash: string | undefined, queue: Queue) {
  const compared = passwordHash ?? (await dummyHash);
  const fits = await enqueueHash(queue, () => verify(compared, password));
  return fits && passwordHash !== undefined;
}

import { hash as digest, randomBytes } from 'node:crypto';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { Refusal } from '#server/core/refusal.ts';

/** 256 bits, so that a plain hash of it is enough at rest. */
export const newSecret = () => randomBytes(32).toString('base64url');

export const fingerprint = (secret: string) => digest('sha256', secret, 'buffer');

const argon2id: Algorithm.Argon2id = 2;
const cost = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes a core and 19 MB for some 20 ms: beyond this many at once a flood of sign-ins stops all else. */
const longestWait = 60;

/** Strangers queue apart: however many there are, whoever is known here does not wait behind them. */
const queues = { known: pLimit(2), strangers: pLimit(2) };
export type Queue = keyof typeof queues;

function inTurn<T>(queue: Queue, work: () => Promise<T>) {
  if (queues[queue].pendingCount >= longestWait) throw new Refusal('Busy', { retryAfterSeconds: 2 });
  return queues[queue](work);
}

export const hashPassword = (password: string) => inTurn('known', () => hash(password, cost));

const hashOfNobody = hashPassword(newSecret());

/** Takes as long when there is no such administrator, so that time does not tell who exists. */
export async function passwordFits(password: string, passwordHash: string | undefined, queue: Queue) {
  const compared = passwordHash ?? (await hashOfNobody);
  const fits = await inTurn(queue, () => verify(compared, password));
  return fits && passwordHash !== undefined;
}

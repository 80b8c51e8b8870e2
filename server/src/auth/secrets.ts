import { createHash, randomBytes } from 'node:crypto';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { Refusal } from '#server/http/refusal.ts';

/** 256 bits, so that a plain hash of it is enough at rest. */
export const newSecret = () => randomBytes(32).toString('base64url');

export const fingerprint = (secret: string) => createHash('sha256').update(secret).digest();

const argon2id: Algorithm.Argon2id = 2;
const cost = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes a core and 19 MB for some 20 ms: beyond this many at once a flood of sign-ins stops all else. */
const turns = pLimit(2);
const longestWait = 60;

function inTurn<T>(work: () => Promise<T>) {
  if (turns.pendingCount >= longestWait) throw new Refusal('Busy', { retryAfterSeconds: 2 });
  return turns(work);
}

export const hashPassword = (password: string) => inTurn(() => hash(password, cost));

const hashOfNobody = hashPassword(newSecret());

/** Takes as long when there is no such administrator, so that time does not tell who exists. */
export async function passwordFits(password: string, passwordHash: string | undefined) {
  const compared = passwordHash ?? (await hashOfNobody);
  const fits = await inTurn(() => verify(compared, password));
  return fits && passwordHash !== undefined;
}

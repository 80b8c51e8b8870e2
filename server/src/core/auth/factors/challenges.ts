import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';
import { fitsKeyedHash, keyedHash } from '#server/core/keys.ts';

const validMs = 5 * 60_000;

type Purpose = 'login' | `add ${string}`;

const textOf = (purpose: Purpose, body: Buffer) => `${purpose}\n${body.toString('base64')}`;

/** Returns a challenge that is valid for five minutes. Nothing is stored, so that strangers may ask for any number. */
export function newChallenge(purpose: Purpose) {
  const expires = Buffer.alloc(8);
  expires.writeBigUInt64BE(BigInt(Date.now() + validMs));
  const body = Buffer.concat([expires, randomBytes(16)]);
  return Buffer.concat([body, keyedHash('challenges', textOf(purpose, body))]).toString('base64url');
}

/** Whether this is a challenge of ours for the purpose, and still valid. */
export function isValidChallenge(purpose: Purpose, challenge: string) {
  const bytes = Buffer.from(challenge, 'base64url');
  if (bytes.length !== 24 + 32) return false;
  const body = bytes.subarray(0, 24);
  const fits = fitsKeyedHash('challenges', textOf(purpose, body), bytes.subarray(24));
  return fits && Number(body.readBigUInt64BE()) > Date.now();
}

/** Uses up a challenge. Returns false if it was answered before. */
export async function consumeChallenge(tx: Tx, challenge: string) {
  await sql`delete from used_challenge where used_at < now() - interval '1 hour'`.execute(tx);
  const used = await tx
    .insertInto('usedChallenge')
    .values({ challenge })
    .onConflict((conflict) => conflict.doNothing())
    .returning('challenge')
    .executeTakeFirst();
  return used !== undefined;
}

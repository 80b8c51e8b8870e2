import { createHash } from 'node:crypto';
import type { Endpoint } from 'contract/core/endpoint.ts';
import { z } from 'zod';
import { lockFor, type Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { insertAnswer, selectAnswer } from './queries.ts';

/** The idempotency key of a call, with the digest of the request and the schema of the response. */
export type Once = { key: string; call: string; digest: string; schema: z.core.$ZodType };

type Sent = { params: unknown; body: unknown };

export function onceOf(endpoint: Endpoint, key: string, { params, body }: Sent): Once | undefined {
  if (!endpoint.movesMoney || 'file' in endpoint.answer || 'content' in endpoint.answer) return undefined;
  // A bulk decision derives a key for each item by appending its id to this key.
  if (key.length === 0 || key.length > 160) throw new Refusal('InvalidRequest');
  const digest = createHash('sha256')
    .update(JSON.stringify([params, body]))
    .digest('hex');
  return { key, call: `${endpoint.method} ${endpoint.url}`, digest, schema: endpoint.answer };
}

/** The administrator or the API key that makes a call. */
type CallerId = { adminId: string } | { apiKeyId: string };
type KeyOwner = { caller: CallerId; once: Once };

/**
 * Runs `act` once per caller and key, and stores its response in the same transaction. Concurrent calls with the
 * same key wait for the first and return its response. A refused call is rolled back and can be tried again. Throws
 * `KeyReused` if the key was used for another endpoint or body.
 */
export async function runIdempotent<T>(tx: Tx, { caller, once }: KeyOwner, act: () => Promise<T>): Promise<T> {
  const { key, call, digest, schema } = once;
  const owner = { adminId: null, apiKeyId: null, ...caller };
  await lockFor(tx, `auth.${owner.adminId ?? owner.apiKeyId} ${key}`);
  const answered = await selectAnswer(tx, { ...owner, key });
  if (answered) {
    if (answered.call !== call || answered.digest !== digest) throw new Refusal('KeyReused');
    return z.decode(schema, answered.answer) as T;
  }
  const answer = await act();
  const written = z.safeEncode(schema, answer);
  // A result that does not match the schema of the endpoint leads to a refusal, so it is not stored.
  if (written.success) await insertAnswer(tx, { ...owner, key, call, digest, answer: JSON.stringify(written.data) });
  return answer;
}

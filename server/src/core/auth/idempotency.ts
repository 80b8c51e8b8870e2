import { createHash } from 'node:crypto';
import type { Endpoint } from 'contract/core/endpoint.ts';
import { z } from 'zod';
import { lockFor, type Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { insertAnswer, selectAnswer } from './queries.ts';

/** A call that is to be done once, however often it is sent. */
export type Once = { key: string; call: string; digest: string; schema: z.core.$ZodType };

type Sent = { params: unknown; body: unknown };

export function onceOf(endpoint: Endpoint, key: string, { params, body }: Sent): Once | undefined {
  if (!endpoint.movesMoney || 'file' in endpoint.answer || 'content' in endpoint.answer) return undefined;
  // Many decisions of one call have a key each, which is this one and an id.
  if (key.length === 0 || key.length > 160) throw new Refusal('InvalidRequest');
  const digest = createHash('sha256')
    .update(JSON.stringify([params, body]))
    .digest('hex');
  return { key, call: `${endpoint.method} ${endpoint.url}`, digest, schema: endpoint.answer };
}

type Whose = { adminId: string; once: Once };

/**
 * The answer is kept in the transaction of what it tells: there is never one without the other. Those who send the same
 * at once queue up, and all but the first get its answer. What was refused was not done, and is tried anew.
 */
export async function runIdempotent<T>(tx: Tx, { adminId, once }: Whose, act: () => Promise<T>): Promise<T> {
  const { key, call, digest, schema } = once;
  await lockFor(tx, `auth.${adminId} ${key}`);
  const answered = await selectAnswer(tx, { adminId, key });
  if (answered) {
    if (answered.call !== call || answered.digest !== digest) throw new Refusal('KeyReused');
    return z.decode(schema, answered.answer) as T;
  }
  const answer = await act();
  const written = z.safeEncode(schema, answer);
  // What is no answer of the endpoint is the way to a refusal.
  if (written.success) await insertAnswer(tx, { adminId, key, call, digest, answer: JSON.stringify(written.data) });
  return answer;
}

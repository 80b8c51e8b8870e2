import { randomUUID } from 'node:crypto';
import { retryDelays } from 'contract/integrations-webhooks.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { isGenuine } from '#server/core/outbox/seal.ts';
import { openSecret } from '#server/core/sealed-secret.ts';
import type { Sender } from './sender.ts';
import { signedMessage } from './signature.ts';
import {
  type DueDelivery,
  holdsLease,
  insertAttempt,
  promoteNext,
  releaseLease,
  renewLease,
  selectDue,
  takeLease,
  updateDelivered,
  updateFailed,
  updateFailing,
} from './send-queries.ts';
import { selectSecrets } from './webhook-queries.ts';

export type SendDeps = { database: Database; sender: Sender; secretsKey: Buffer };

/** How many messages are on their way to one webhook at a time, each about another subject. */
const atOnce = 4;
/** Then other webhooks have their turn. */
const sliceMs = 20_000;

type Lease = { endpointId: string; lease: string };

/**
 * Sends what is due to one webhook, for a while. A receiver can get a message twice, under the same id: if this process
 * dies before it has recorded the answer, the message is sent again.
 */
export async function sendDue(deps: SendDeps, endpointId: string, signal: AbortSignal) {
  const { database } = deps;
  const lease = { endpointId, lease: randomUUID() };
  if (!(await database.transaction().execute((tx) => takeLease(tx, lease)))) return;
  const until = performance.now() + sliceMs;
  try {
    while (!signal.aborted && performance.now() < until) {
      const batch = await database.transaction().execute((tx) => claim(tx, lease, deps.secretsKey));
      const outcomes = await Promise.all(batch.due.map((due) => attempt(deps, { ...batch, due, lease }, signal)));
      // A receiver that answers nothing must not keep this worker from the others.
      if (!outcomes.includes('delivered')) return;
    }
  } finally {
    await database.transaction().execute((tx) => releaseLease(tx, lease));
  }
}

type Batch = { url: string; secrets: string[]; due: DueDelivery[] };

async function claim(tx: Tx, lease: Lease, secretsKey: Buffer): Promise<Batch> {
  const url = await renewLease(tx, lease);
  if (url === undefined) return { url: '', secrets: [], due: [] };
  const sealed = await selectSecrets(tx, lease.endpointId);
  const secrets = sealed.map(({ id, sealed: box }) =>
    openSecret(secretsKey, { table: 'webhook_secret', id, column: 'sealed' }, box),
  );
  const found = await selectDue(tx, lease.endpointId, atOnce);
  for (const forged of found.filter((delivery) => !isGenuine(delivery))) await giveUp(tx, lease, forged);
  return { url, secrets, due: found.filter(isGenuine) };
}

/** A verification of the audit log names the event. Later events of its subject are sent. */
async function giveUp(tx: Tx, { endpointId }: Lease, { deliveryId, subjectId }: DueDelivery) {
  await updateFailed(tx, deliveryId, undefined);
  await promoteNext(tx, { endpointId, subjectId });
}

type Sending = Omit<Batch, 'due'> & { due: DueDelivery; lease: Lease };

/** Sends one message outside any transaction, and records the outcome in one. */
async function attempt({ database, sender }: SendDeps, { url, secrets, due, lease }: Sending, signal: AbortSignal) {
  const { deliveryId, attempts, seal: _seal, ...event } = due;
  const at = new Date();
  const { body, headers, digest } = signedMessage(event, { secrets, at });
  const outcome = await sender.send({ url, headers, body }, signal);
  await database.transaction().execute(async (tx) => {
    if (!(await holdsLease(tx, lease))) return;
    await insertAttempt(tx, { deliveryId, at, outcome, headers, digest });
    const delaySeconds = retryDelays[attempts];
    const isOver = outcome.error === null || delaySeconds === undefined;
    if (outcome.error === null) await updateDelivered(tx, deliveryId);
    else await updateFailed(tx, deliveryId, delaySeconds);
    await updateFailing(tx, lease.endpointId, outcome.error !== null);
    if (isOver) await promoteNext(tx, { endpointId: lease.endpointId, subjectId: event.subjectId });
    await announce(tx, { feature: 'integrations', id: lease.endpointId });
  });
  return outcome.error === null ? 'delivered' : 'failed';
}

import { randomUUID } from 'node:crypto';
import { rotationHours, type Webhook, type WebhookState, webhooksAtMost } from 'contract/integrations-webhooks.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';
import { selectBounds, selectFirstSeq } from '#server/core/outbox/queries.ts';
import { Refusal } from '#server/core/refusal.ts';
import { sealSecret } from '#server/core/sealed-secret.ts';
import { arrangeHeads, makeDueNow } from './delivery-queries.ts';
import { newWebhookSecret } from './signature.ts';
import {
  countWebhooks,
  expireSecrets,
  type Fields,
  insertSecret,
  insertWebhook,
  lockWebhook,
  selectFailingPaused,
  selectWebhook,
  selectWebhooks,
  updateDispatched,
  updateState,
  updateWebhookFields,
} from './webhook-queries.ts';

export const listWebhooks = async (db: Db) => ({ webhooks: await selectWebhooks(db) });

export const listPausedWebhooks = async (db: Db) => ({ webhooks: await selectFailingPaused(db) });

type Creation = Fields & { actor: Actor; secretsKey: Buffer };

/** Adds a webhook, which receives the events from now on. The caller must have checked where its URL leads. */
export async function createWebhook(tx: Tx, { actor, secretsKey, ...fields }: Creation) {
  if ((await countWebhooks(tx)) >= webhooksAtMost) throw new Refusal('TooManyWebhooks');
  const { newest } = await selectBounds(tx);
  const id = await insertWebhook(tx, { ...fields, createdBy: actor.id, dispatchedSeq: newest ?? 0n });
  const secret = await addSecret(tx, id, secretsKey);
  await announce(tx, { feature: 'integrations', id });
  await recordAudit(tx, {
    actorId: actor.id,
    action: 'integrations.create-webhook',
    subjectId: id,
    details: { after: fields },
  });
  return { webhook: await readWebhook(tx, id), secret };
}

type Change = Fields & { actor: Actor; id: string; version: number };

/** Changes where a webhook sends, and what. The caller must have checked where its URL leads. */
export async function updateWebhook(tx: Tx, { actor, id, version, ...fields }: Change) {
  const found = await lockedWebhook(tx, id);
  if (found.version !== version) throw new Refusal('WebhookConflict');
  await updateWebhookFields(tx, id, fields);
  await announce(tx, { feature: 'integrations', id });
  const { url, description, types } = found;
  const details = { before: { url, description, types }, after: fields };
  await recordAudit(tx, { actorId: actor.id, action: 'integrations.update-webhook', subjectId: id, details });
  return { webhook: await readWebhook(tx, id) };
}

type StateChange = { actor: Actor; id: string; state: WebhookState };

/** Pauses a webhook, or resumes it where it stopped. Changes nothing if it has that state. */
export async function setWebhookState(tx: Tx, { actor, id, state }: StateChange) {
  const found = await lockedWebhook(tx, id);
  if (found.state === state) return { webhook: found };
  await updateState(tx, id, state === 'paused' ? { state, pausedReason: 'manual' } : { state, pausedReason: null });
  if (state === 'active') await makeDueNow(tx, id);
  await announce(tx, { feature: 'integrations', id });
  const action = state === 'paused' ? 'integrations.pause-webhook' : 'integrations.resume-webhook';
  const details = { url: found.url, before: { state: found.state, pausedReason: found.pausedReason } };
  await recordAudit(tx, { actorId: actor.id, action, subjectId: id, details });
  return { webhook: await readWebhook(tx, id) };
}

type One = { actor: Actor; id: string };

export async function removeWebhook(tx: Tx, { actor, id }: One) {
  const { url } = await lockedWebhook(tx, id);
  await updateState(tx, id, { state: 'removed', pausedReason: null });
  await announce(tx, { feature: 'integrations', id });
  const details = { before: { url } };
  await recordAudit(tx, { actorId: actor.id, action: 'integrations.remove-webhook', subjectId: id, details });
  return {};
}

/** Replaces the secret. The replaced one stays valid for a while, so that the receiver can be changed meanwhile. */
export async function rotateSecret(tx: Tx, { actor, id, secretsKey }: One & { secretsKey: Buffer }) {
  const { url } = await lockedWebhook(tx, id);
  await expireSecrets(tx, id, rotationHours);
  const secret = await addSecret(tx, id, secretsKey);
  await announce(tx, { feature: 'integrations', id });
  await recordAudit(tx, { actorId: actor.id, action: 'integrations.rotate-secret', subjectId: id, details: { url } });
  return { webhook: await readWebhook(tx, id), secret };
}

/** Records an event that only this webhook receives, whatever types it subscribes to. */
export async function testWebhook(tx: Tx, { actor, id }: One) {
  const { url } = await activeWebhook(tx, id);
  await recordEvent(tx, { type: 'webhook.test', subjectId: id, data: { webhookId: id } });
  await announce(tx, { feature: 'integrations', id });
  await recordAudit(tx, { actorId: actor.id, action: 'integrations.test-webhook', subjectId: id, details: { url } });
  return {};
}

type Replay = One & { from: { seq: bigint } | { time: Date } };

/** Goes back to an event or a time: everything from there on is sent once more, in order. */
export async function replayWebhook(tx: Tx, { actor, id, from }: Replay) {
  const { url } = await activeWebhook(tx, id);
  const first = await selectFirstSeq(tx, from);
  if (first === undefined) throw new Refusal('NothingToReplay');
  await updateDispatched(tx, id, first - 1n);
  await arrangeHeads(tx, id);
  await announce(tx, { feature: 'integrations', id });
  const details = { url, from: String(first) };
  await recordAudit(tx, { actorId: actor.id, action: 'integrations.replay-webhook', subjectId: id, details });
  return { from: first };
}

async function lockedWebhook(tx: Tx, id: string): Promise<Webhook> {
  const webhook = await lockWebhook(tx, id);
  if (!webhook) throw new Refusal('WebhookNotFound');
  return webhook;
}

export async function activeWebhook(tx: Tx, id: string) {
  const webhook = await lockedWebhook(tx, id);
  if (webhook.state !== 'active') throw new Refusal('WebhookPaused');
  return webhook;
}

async function readWebhook(tx: Tx, id: string) {
  const webhook = await selectWebhook(tx, id);
  if (!webhook) throw new Error(`The webhook ${id} is gone from the transaction that changed it.`);
  return webhook;
}

/** Stores a new secret and returns it, for the only time. */
async function addSecret(tx: Tx, endpointId: string, secretsKey: Buffer) {
  const id = randomUUID();
  const secret = newWebhookSecret();
  const sealed = sealSecret(secretsKey, { table: 'webhook_secret', id, column: 'sealed' }, secret);
  await insertSecret(tx, { id, endpointId, sealed });
  return secret;
}

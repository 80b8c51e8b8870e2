import { movesMoney, type Scope } from 'contract/core/scopes.ts';
import type { ApiKey, ApiKeyState } from 'contract/integrations-keys.ts';
import { type Effect, requestApproval, waitingFor, withdrawRequest } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import { newApiKeySecret } from '#server/core/auth/api-keys.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  endOtherSecrets,
  insertKey,
  insertSecret,
  type KeyRow,
  lockKey,
  lockSecret,
  type SecretRow,
  selectKey,
  selectKeys,
  selectSecrets,
  selectUsage,
  updateApproved,
  updateRevoked,
} from './queries.ts';

export async function listApiKeys(db: Db) {
  const secrets = await selectSecrets(db);
  const keys: ApiKey[] = [];
  for (const key of await selectKeys(db)) {
    keys.push(
      await shown(
        db,
        key,
        secrets.filter(({ apiKeyId }) => apiKeyId === key.id),
      ),
    );
  }
  return { keys };
}

export async function readApiKeyUsage(db: Db, id: string) {
  if (!(await selectKey(db, id))) throw new Refusal('KeyNotFound');
  const hours = await selectUsage(db, id);
  return {
    hours: hours.map(({ hour, requests, errors }) => ({ hour, requests: Number(requests), errors: Number(errors) })),
  };
}

type NewKey = { actor: Actor; name: string; scopes: Scope[]; days?: number | undefined; requestsPerMinute: number };

/** Creates a key and returns its secret, which is not stored. A key that moves money works after a second approval. */
export async function createApiKey(tx: Tx, { actor, ...key }: NewKey) {
  const scopes = [...new Set(key.scopes)].toSorted();
  const { name, days, requestsPerMinute } = key;
  const id = await insertKey(tx, { name, scopes, days, requestsPerMinute, createdBy: actor.id });
  const secret = await addSecret(tx, { actor, id, hours: 0 });
  return changed(tx, { actor, id, action: 'integrations.create-key', secret });
}

/** Adds a secret to a key. Once it is valid, the ones before it stay valid for that many hours. */
export async function rotateApiKey(tx: Tx, { actor, id, hours }: { actor: Actor; id: string; hours: number }) {
  const key = await lockKey(tx, id);
  if (!key) throw new Refusal('KeyNotFound');
  if (key.revoked) throw new Refusal('KeyRevoked');
  if (key.expired) throw new Refusal('KeyExpired');
  for (const { id: subjectId, approvedAt } of await selectSecrets(tx, id)) {
    if (approvedAt === null && (await waitingFor(tx, { kind: 'key', subjectId }))) throw new Refusal('RotationWaiting');
  }
  const secret = await addSecret(tx, { actor, id, hours });
  return changed(tx, { actor, id, action: 'integrations.rotate-key', secret });
}

async function addSecret(tx: Tx, { actor, id, hours }: { actor: Actor; id: string; hours: number }) {
  const key = await lockKey(tx, id);
  if (!key) throw new Error(`The key ${id} is gone from the transaction that changes it.`);
  const { secret, prefix, hash } = newApiKeySecret(key);
  const needsApproval = movesMoney(key.scopes);
  const stored = { apiKeyId: id, prefix, hash, createdBy: actor.id, overlapHours: hours, approved: !needsApproval };
  const subjectId = await insertSecret(tx, stored);
  if (!needsApproval) await endOtherSecrets(tx, { apiKeyId: id, kept: subjectId, hours });
  else {
    const payload = payloadOf(key, { prefix, overlapHours: hours });
    await requestApproval(tx, { kind: 'key', subjectId, payload, requestedBy: actor.id });
  }
  return secret;
}

export async function revokeApiKey(tx: Tx, { actor, id }: { actor: Actor; id: string }) {
  const key = await lockKey(tx, id);
  if (!key) throw new Refusal('KeyNotFound');
  if (key.revoked) throw new Refusal('KeyRevoked');
  await updateRevoked(tx, id, actor.id);
  for (const { id: subjectId } of await selectSecrets(tx, id)) await withdrawRequest(tx, { kind: 'key', subjectId });
  const { key: after } = await changed(tx, { actor, id, action: 'integrations.revoke-key' });
  return { key: after };
}

/** The effect of an approved secret: it is valid, and the ones before it end. */
export const keyEffect: Effect = {
  async payloadOf(tx, id) {
    const found = await lockSecret(tx, id);
    if (!found || found.key.revoked || found.secret.approvedAt !== null || found.secret.ended) return undefined;
    return payloadOf(found.key, found.secret);
  },
  async apply(tx, { subjectId }) {
    const found = await lockSecret(tx, subjectId);
    if (!found) throw new Refusal('ApprovalVoid');
    const { key, secret } = found;
    await updateApproved(tx, subjectId);
    await endOtherSecrets(tx, { apiKeyId: key.id, kept: subjectId, hours: secret.overlapHours });
    await announce(tx, { feature: 'integrations', id: key.id });
  },
};

const payloadOf = (
  { name, scopes, requestsPerMinute, expiresAt }: KeyRow,
  { prefix, overlapHours }: Pick<SecretRow, 'prefix' | 'overlapHours'>,
): Payload => ({
  userUuid: null,
  facts: [
    { key: 'apiKey', value: name },
    { key: 'scopes', value: scopes.join(', ') },
    { key: 'keyPrefix', value: prefix },
    { key: 'requestsPerMinute', value: String(requestsPerMinute) },
    ...(expiresAt === null ? [] : [{ key: 'expiresAt' as const, value: expiresAt.toISOString() }]),
    { key: 'overlapHours', value: String(overlapHours) },
  ],
});

type Changed = { actor: Actor; id: string; action: `integrations.${string}`; secret?: string };

async function changed(tx: Tx, { actor, id, action, secret = '' }: Changed) {
  const row = await selectKey(tx, id);
  if (!row) throw new Error(`The key ${id} is gone from the transaction that changed it.`);
  const key = await shown(tx, row, await selectSecrets(tx, id));
  await announce(tx, { feature: 'integrations', id });
  const { name, scopes, requestsPerMinute, expiresAt, secrets } = key;
  const details = { name, scopes, requestsPerMinute, expiresAt, prefixes: secrets.map(({ prefix }) => prefix) };
  await recordAudit(tx, { actorId: actor.id, action, subjectId: id, details });
  return { key, secret };
}

async function shown(db: Db, key: KeyRow, rows: readonly SecretRow[]): Promise<ApiKey> {
  const secrets: ApiKey['secrets'] = [];
  for (const row of rows) {
    if (row.ended) continue;
    const waiting = row.approvedAt === null ? await waitingFor(db, { kind: 'key', subjectId: row.id }) : null;
    const { prefix, createdAt, createdBy, lastUsedAt, validUntil } = row;
    const state = row.approvedAt === null ? (waiting ? 'waiting' : 'unapproved') : 'active';
    secrets.push({ prefix, createdAt, createdBy, lastUsedAt, validUntil, state, waiting });
  }
  const { id, name, scopes, requestsPerMinute, expiresAt, createdAt, createdBy } = key;
  const usedMs = rows.flatMap(({ lastUsedAt }) => (lastUsedAt === null ? [] : [lastUsedAt.getTime()]));
  return {
    id,
    name,
    scopes,
    requestsPerMinute,
    expiresAt,
    createdAt,
    createdBy,
    secrets,
    state: stateOf(key, secrets),
    lastUsedAt: usedMs.length === 0 ? null : new Date(Math.max(...usedMs)),
    requests: Number(key.requests),
    errors: Number(key.errors),
  };
}

function stateOf({ revoked, expired }: KeyRow, secrets: ApiKey['secrets']): ApiKeyState {
  if (revoked) return 'revoked';
  if (expired) return 'expired';
  const states = secrets.map(({ state }) => state);
  if (states.includes('active')) return 'active';
  return states.includes('waiting') ? 'waiting' : 'unapproved';
}

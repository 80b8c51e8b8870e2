import { writeFactAmount } from 'contract/approvals-facts.ts';
import type { Limit, LimitAsset, LimitKind } from 'contract/approvals.ts';
import { type AloneLimit, type Asset, writeAmount } from 'contract/core/money.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Db, lockFor, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { requestApproval, type Effect, waitingFor } from './approvals.ts';
import type { Payload } from './payload.ts';
import { limitsLock, selectAloneLimit, selectLimit, selectMovedAloneToday } from './queries.ts';
import {
  insertLimit,
  type LimitRow,
  type LimitParams,
  lockLimitChange,
  selectLimits,
  upsertLimitChange,
} from './limit-queries.ts';

export async function listLimits(db: Db) {
  const rows = await selectLimits(db);
  const limits: Limit[] = [];
  for (const { changeId, ...limit } of rows) {
    const waiting = changeId === null ? null : await waitingFor(db, { kind: 'limit', subjectId: changeId });
    limits.push({ ...limit, waiting });
  }
  return { limits };
}

/** Returns how much the administrator may move alone in a day, and how much of it they have moved today. */
export async function readAloneLimit(db: Db, actor: Pick<Actor, 'id'>, asset: Asset): Promise<AloneLimit> {
  return {
    limit: await selectAloneLimit(db, actor.id, asset),
    usedToday: await selectMovedAloneToday(db, actor.id, asset),
  };
}

/** Returns how much a scheduled run may move without a second approver. */
export const readScheduleLimit = (db: Db, asset: Asset) => selectLimit(db, { kind: 'schedule', asset });

type Params = { actor: Actor; kind: LimitKind; asset: LimitAsset; limit: bigint; version: number };

export async function requestLimit(tx: Tx, { actor, kind, asset, limit, version }: Params) {
  const change = { kind, asset, version, limitUnits: limit };
  // This comes before the reads: the upsert waits for a concurrent decision, which locks the same row.
  const subjectId = await upsertLimitChange(tx, change);
  const before = await limitInForce(tx, change);
  if (!before) throw new Refusal('LimitNotFound');
  if (before.version !== version) throw new Refusal('LimitConflict');
  if (before.limit === limit) throw new Refusal('LimitUnchanged');

  const payload = payloadOf(before, change);
  await requestApproval(tx, { kind: 'limit', subjectId, payload, requestedBy: actor.id }).catch((error: unknown) => {
    throw brokenConstraint(error) === 'approval_waiting' ? new Refusal('LimitWaits') : error;
  });
  const details = { kind, asset, before: writeAmount(before.limit, asset), after: writeAmount(limit, asset) };
  await recordAudit(tx, { actorId: actor.id, action: 'approvals.limit', subjectId, details });
  return listLimits(tx);
}

export const limitEffect: Effect = {
  async payloadOf(tx, id) {
    const change = await lockLimitChange(tx, id);
    const before = change && (await limitInForce(tx, change));
    return before && payloadOf(before, change);
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const change = await lockLimitChange(tx, subjectId);
    if (!change) throw new Refusal('ApprovalVoid');
    const { kind, asset, version, limitUnits } = change;
    await lockFor(tx, limitsLock);
    await insertLimit(tx, {
      kind,
      asset,
      version: version + 1,
      limitUnits,
      savedBy: requestedBy,
      approvedBy: decidedBy,
    });
    await announce(tx, { feature: 'approvals', id: subjectId });
  },
};

async function limitInForce(db: Db, { kind, asset }: { kind: LimitKind; asset: LimitAsset }) {
  return (await selectLimits(db)).find((limit) => limit.kind === kind && limit.asset === asset);
}

function payloadOf(before: LimitRow, { kind, asset, limitUnits }: Omit<LimitParams, 'id'>): Payload {
  return {
    userUuid: null,
    facts: [
      { key: 'limitKind', value: kind },
      {
        key: 'limit',
        before: writeFactAmount(before.limit, asset),
        value: writeFactAmount(limitUnits, asset),
      },
      { key: 'version', value: String(before.version) },
    ],
  };
}

import type { LimitAsset, LimitKind } from 'contract/approvals.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

type LimitKey = { kind: LimitKind; asset: LimitAsset };

export type LimitRow = LimitKey & {
  limit: bigint;
  version: number;
  savedBy: string | null;
  approvedBy: string | null;
  savedAt: Date;
  changeId: string | null;
};

export async function selectLimits(db: Db) {
  const { rows } = await sql<LimitRow>`
    select distinct on (item.kind, item.asset) item.kind, item.asset, item.limit_units as "limit", item.version,
      saver.username as "savedBy", approver.username as "approvedBy", item.saved_at as "savedAt", change.id as "changeId"
    from approval_limit as item
    left join admin as saver on saver.id = item.saved_by
    left join admin as approver on approver.id = item.approved_by
    left join approval_limit_change as change on change.kind = item.kind and change.asset = item.asset
    order by item.kind, item.asset, item.version desc`.execute(db);
  return rows;
}

export type LimitParams = LimitKey & { id: string; version: number; limitUnits: bigint };

/** Stores the requested change and returns its id, which is the same for all changes of a limit. */
export async function upsertLimitChange(tx: Tx, change: Omit<LimitParams, 'id'>) {
  const { id } = await tx
    .insertInto('approvalLimitChange')
    .values(change)
    .onConflict((conflict) =>
      conflict.columns(['kind', 'asset']).doUpdateSet({ version: change.version, limitUnits: change.limitUnits }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Locks the change, so that decisions and further requests for the same limit run one at a time. */
export async function lockLimitChange(tx: Tx, id: string) {
  const { rows } = await sql<LimitParams>`
    select id, kind, asset, version, limit_units as "limitUnits" from approval_limit_change
    where id = ${id}::uuid for update`.execute(tx);
  return rows[0];
}

type NewLimit = LimitKey & { version: number; limitUnits: bigint; savedBy: string; approvedBy: string };

export async function insertLimit(tx: Tx, limit: NewLimit) {
  await tx.insertInto('approvalLimit').values(limit).execute();
}

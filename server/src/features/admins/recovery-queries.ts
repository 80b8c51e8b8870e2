import { type Recovery, recoveriesShownDays } from 'contract/admins-recovery.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

type NewRecovery =
  | { adminId: string; reason: string; requestedBy: string; approvalId: string }
  | { adminId: string; recoveredAt: Date };

export async function insertRecovery(tx: Tx, recovery: NewRecovery) {
  await tx.insertInto('adminRecovery').values(recovery).execute();
}

/** Returns the reason of the recovery that waits for a second approver. */
export async function selectWaitingReason(db: Db, adminId: string) {
  const found = await db
    .selectFrom('adminRecovery')
    .innerJoin('approval', 'approval.id', 'adminRecovery.approvalId')
    .select('adminRecovery.reason')
    .where('adminId', '=', adminId)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  return found?.reason ?? undefined;
}

/** Locks a recovery that this administrator has requested, and returns what became of the request. */
export function lockRecovery(tx: Tx, { id, requestedBy }: { id: string; requestedBy: string }) {
  return tx
    .selectFrom('adminRecovery')
    .innerJoin('approval', 'approval.id', 'adminRecovery.approvalId')
    .select(['adminRecovery.id', 'adminId', 'adminRecovery.reason', 'recoveredAt', 'state', 'decidedBy', 'digest'])
    .select('approval.id as approvalId')
    .select(sql<boolean>`expires_at <= now()`.as('hasExpired'))
    .where('adminRecovery.id', '=', id)
    .where('adminRecovery.requestedBy', '=', requestedBy)
    .forUpdate('adminRecovery')
    .executeTakeFirst();
}

export async function updateRecovered(tx: Tx, id: string) {
  await tx.updateTable('adminRecovery').set({ recoveredAt: sql`now()` }).where('id', '=', id).execute();
}

type RecoveryRow = Omit<Recovery, 'admin'> & { adminId: string; username: string };

/** Returns the recoveries that can be completed now, and those completed in the last days. */
export async function selectRecoveries(db: Db) {
  const { rows } = await sql<RecoveryRow>`
    select recovery.id, admin.id as "adminId", admin.username, recovery.reason, maker.username as "requestedBy",
      approver.username as "approvedBy", recovery.recovered_at as "recoveredAt"
    from admin_recovery as recovery
    join admin on admin.id = recovery.admin_id
    left join admin as maker on maker.id = recovery.requested_by
    left join approval on approval.id = recovery.approval_id
    left join admin as approver on approver.id = approval.decided_by
    where recovery.recovered_at > now() - make_interval(days => ${recoveriesShownDays})
      or recovery.recovered_at is null and approval.state = 'approved' and approval.expires_at > now()
    order by recovery.id desc`.execute(db);
  return rows.map(({ adminId, username, ...row }) => ({ ...row, admin: { id: adminId, username } }));
}

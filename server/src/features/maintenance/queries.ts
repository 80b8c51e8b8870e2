import { maintenanceSeconds } from 'contract/maintenance.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

/** Reads the state with the time of the database, because the clocks of the processes may differ. */
export function selectMaintenance(db: Db) {
  return db
    .selectFrom('maintenance')
    .leftJoin('admin', 'admin.id', 'maintenance.changedBy')
    .select(['active', 'endsAt', 'changedAt', 'username as changedBy', sql<Date>`clock_timestamp()`.as('now')])
    .executeTakeFirstOrThrow();
}

/** Locks the state, so that concurrent changes run one after the other. */
export function lockMaintenance(tx: Tx) {
  return tx.selectFrom('maintenance').select(['active', 'endsAt']).forUpdate().executeTakeFirstOrThrow();
}

export function updateMaintenance(tx: Tx, { active, adminId }: { active: boolean; adminId: string }) {
  const windowEnd = sql<Date>`clock_timestamp() + make_interval(secs => ${maintenanceSeconds})`;
  return tx
    .updateTable('maintenance')
    .set({ active, endsAt: active ? windowEnd : null, changedBy: adminId, changedAt: sql`clock_timestamp()` })
    .returning('endsAt')
    .executeTakeFirstOrThrow();
}

import { maintenanceSeconds } from 'contract/maintenance.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

/** The time is the database's: the processes may stand on machines whose clocks differ. */
export function selectMaintenance(db: Db) {
  return db
    .selectFrom('maintenance')
    .leftJoin('admin', 'admin.id', 'maintenance.changedBy')
    .select(['active', 'endsAt', 'changedAt', 'username as changedBy', sql<Date>`clock_timestamp()`.as('now')])
    .executeTakeFirstOrThrow();
}

/** Two who press the switch at once queue up here; the second then sees what the first did. */
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

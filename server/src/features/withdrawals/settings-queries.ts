import type { WithdrawalMode } from 'contract/withdrawal-states.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

type Values = { mode: WithdrawalMode; unknownAfterHours: number };
export type SettingsRow = Values & {
  version: number;
  savedBy: string | null;
  approvedBy: string | null;
  savedAt: Date;
};

/** Returns the settings in force. */
export async function selectSettings(db: Db) {
  const { rows } = await sql<SettingsRow>`
    select item.mode, item.unknown_after_hours as "unknownAfterHours", item.version, saver.username as "savedBy",
      approver.username as "approvedBy", item.saved_at as "savedAt"
    from withdrawal_settings as item
    left join admin as saver on saver.id = item.saved_by
    left join admin as approver on approver.id = item.approved_by
    order by item.version desc limit 1`.execute(db);
  if (!rows[0]) throw new Error('There are no withdrawal settings.');
  return rows[0];
}

export type SettingsChange = Values & { id: string; version: number };

export async function selectSettingsChange(db: Db) {
  return db.selectFrom('withdrawalSettingsChange').selectAll().executeTakeFirst();
}

/** Stores the requested change and returns its id, which is the same for all changes. */
export async function upsertSettingsChange(tx: Tx, change: Omit<SettingsChange, 'id'>) {
  const { id } = await tx
    .insertInto('withdrawalSettingsChange')
    .values(change)
    .onConflict((conflict) => conflict.column('single').doUpdateSet(change))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Locks the change, so that decisions and further requests run one at a time. Returns undefined for another id. */
export async function lockSettingsChange(tx: Tx, id: string) {
  return tx.selectFrom('withdrawalSettingsChange').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

type NewSettings = Values & { version: number; savedBy: string; approvedBy: string };

export async function insertSettings(tx: Tx, settings: NewSettings) {
  await tx.insertInto('withdrawalSettings').values(settings).execute();
}

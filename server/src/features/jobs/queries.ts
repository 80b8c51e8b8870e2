import { sql } from 'kysely';
import type { JobName } from 'contract/run-kinds.ts';
import type { Db, Tx } from '#server/core/db/db.ts';

/** Returns the version in force. */
export function selectLatest(db: Db, job: JobName) {
  return db
    .selectFrom('jobSettings')
    .leftJoin('admin as saver', 'saver.id', 'jobSettings.savedBy')
    .leftJoin('admin as approver', 'approver.id', 'jobSettings.approvedBy')
    .select(['settings', 'jobSettings.version', 'saver.username as savedBy', 'approver.username as approvedBy'])
    .select('savedAt')
    .where('job', '=', job)
    .orderBy('jobSettings.version', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}

type NewVersion = { job: JobName; version: number; settings: object; savedBy: string; approvedBy: string | null };

/** Inserts a version. Returns undefined if it exists already, also if it was inserted concurrently. */
export function insertVersion(tx: Tx, { settings, ...rest }: NewVersion) {
  return tx
    .insertInto('jobSettings')
    .values({ ...rest, settings: JSON.stringify(settings) })
    .onConflict((conflict) => conflict.columns(['job', 'version']).doNothing())
    .returning('savedAt')
    .executeTakeFirst();
}

export type SettingsRequest = { id: string; job: JobName; version: number; settings: unknown };

/** Stores the requested change of a job. Returns its id, which is always the same for a job. */
export async function upsertChange(
  tx: Tx,
  { job, version, settings }: { job: JobName; version: number; settings: object },
) {
  const stored = { version, settings: JSON.stringify(settings) };
  const { id } = await tx
    .insertInto('jobSettingsChange')
    .values({ job, ...stored })
    .onConflict((conflict) => conflict.column('job').doUpdateSet(stored))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function selectChangeId(db: Db, job: JobName) {
  return (await db.selectFrom('jobSettingsChange').select('id').where('job', '=', job).executeTakeFirst())?.id;
}

/** Locks the requested change of a job, so that saves and decisions wait for each other. */
export async function lockChange(tx: Tx, which: { job: JobName } | { id: string }) {
  const condition = 'job' in which ? sql<boolean>`job = ${which.job}` : sql<boolean>`id = ${which.id}::uuid`;
  const { rows } = await sql<SettingsRequest>`
    select id, job, version, settings from job_settings_change where ${condition} for update`.execute(tx);
  return rows[0];
}

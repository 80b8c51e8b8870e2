import { sql } from 'kysely';
import type { JobName } from 'contract/run-kinds.ts';
import { runQuery, type Db, type Tx } from '#server/core/db/db.ts';

/** Returns the newest version, which may take effect later. */
export function selectLatest(db: Db, job: JobName) {
  return db
    .selectFrom('jobSettings')
    .leftJoin('admin as saver', 'saver.id', 'jobSettings.savedBy')
    .leftJoin('admin as approver', 'approver.id', 'jobSettings.approvedBy')
    .select(['settings', 'jobSettings.version', 'saver.username as savedBy', 'approver.username as approvedBy'])
    .select(['savedAt', 'effectiveFrom'])
    .where('job', '=', job)
    .orderBy('jobSettings.version', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}

export type SavedVersion = { settings: unknown; effectiveFrom: Date };

/** Returns all versions, oldest first. At a time, the highest one that has taken effect applies. */
export const selectVersions = (db: Db, job: JobName): Promise<SavedVersion[]> =>
  db
    .selectFrom('jobSettings')
    .select(['settings', 'effectiveFrom'])
    .where('job', '=', job)
    .orderBy('version')
    .execute();

type NewVersion = {
  job: JobName;
  version: number;
  settings: object;
  effectiveFrom: Date;
  savedBy: string;
  approvedBy: string | null;
};

/** Inserts a version. Returns undefined if it exists already, also if it was inserted concurrently. */
export function insertVersion(tx: Tx, { settings, ...rest }: NewVersion) {
  return tx
    .insertInto('jobSettings')
    .values({ ...rest, settings: JSON.stringify(settings) })
    .onConflict((conflict) => conflict.columns(['job', 'version']).doNothing())
    .returning('savedAt')
    .executeTakeFirst();
}

/**
 * Returns the start of the day after the last one that a run was started for, or whose plan waits to be started, but not
 * of a day in the future. Without any run, settings apply to all days.
 */
export async function selectNextUnpaidDay(db: Db, job: JobName) {
  const [next] = await runQuery<{ starts: Date }>(
    db,
    sql`select least(coalesce(max(day) + 1, '1970-01-01'), (now() at time zone 'UTC')::date)::timestamp
        at time zone 'UTC' as starts
      from run where kind::text = ${job} and reverses is null and (started_at is not null or ended_at is null)`,
  );
  if (!next) throw new Error('The database did not tell the next day.');
  return next.starts;
}

export type SettingsRequest = {
  id: string;
  job: JobName;
  version: number;
  settings: unknown;
  /** Null for the next day that is not yet paid. */
  effectiveFrom: string | null;
};

/** Stores the requested change of a job. Returns its id, which is always the same for a job. */
export async function upsertChange(tx: Tx, { job, version, settings, effectiveFrom }: Omit<SettingsRequest, 'id'>) {
  const day = effectiveFrom === null ? null : sql<Date>`${effectiveFrom}::date`;
  const stored = { version, settings: JSON.stringify(settings), effectiveFrom: day };
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
    select id, job, version, settings, effective_from::text as "effectiveFrom" from job_settings_change where ${condition} for update`.execute(
    tx,
  );
  return rows[0];
}

import type { JobName } from 'contract/jobs.ts';
import type { Db, Tx } from '#server/db/db.ts';

/** The version in force. */
export function selectLatest(db: Db, job: JobName) {
  return db
    .selectFrom('jobSettings')
    .leftJoin('admin', 'admin.id', 'jobSettings.savedBy')
    .select(['settings', 'jobSettings.version', 'username as savedBy', 'savedAt'])
    .where('job', '=', job)
    .orderBy('jobSettings.version', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}

type NewVersion = { job: JobName; version: number; settings: object; savedBy: string };

/** No row when somebody else made this version first, however close the race was. */
export function insertVersion(tx: Tx, { settings, ...rest }: NewVersion) {
  return tx
    .insertInto('jobSettings')
    .values({ ...rest, settings: JSON.stringify(settings) })
    .onConflict((conflict) => conflict.columns(['job', 'version']).doNothing())
    .returning('savedAt')
    .executeTakeFirst();
}

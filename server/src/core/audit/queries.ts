import type { Db, Tx } from '#server/core/db/db.ts';

export type Entry = {
  seq: bigint;
  at: Date;
  actorId: string | null;
  apiKeyId: string | null;
  action: string;
  subjectId: string | null;
  details: string;
  seal: Buffer;
};

const columns = ['seq', 'at', 'actorId', 'apiKeyId', 'action', 'subjectId', 'details', 'seal'] as const;

export function selectLastEntry(db: Db) {
  return db.selectFrom('auditEntry').select(['seq', 'seal']).orderBy('seq', 'desc').limit(1).executeTakeFirst();
}

export function selectSeal(db: Db, seq: bigint) {
  return db.selectFrom('auditEntry').select('seal').where('seq', '=', seq).executeTakeFirst();
}

export function selectEntriesAfter(db: Db, seq: bigint): Promise<Entry[]> {
  return db.selectFrom('auditEntry').select(columns).where('seq', '>', seq).orderBy('seq').limit(5_000).execute();
}

export function insertEntry(tx: Tx, entry: Entry) {
  return tx.insertInto('auditEntry').values(entry).execute();
}

type About = { subject: string; before: string | undefined; limit: number };

/** Returns the entries of a subject, newest first, with the username of the actor. */
export function selectEntriesAbout(db: Db, { subject, before, limit }: About) {
  const newest = db
    .selectFrom('auditEntry as entry')
    .leftJoin('admin', 'admin.id', 'entry.actorId')
    .leftJoin('apiKey', 'apiKey.id', 'entry.apiKeyId')
    .select([
      'entry.seq',
      'entry.at',
      'admin.username as actor',
      'apiKey.name as apiKey',
      'entry.action',
      'entry.details',
    ])
    .where('entry.subjectId', '=', subject)
    .orderBy('entry.seq', 'desc')
    .limit(limit);
  return (before === undefined ? newest : newest.where('entry.seq', '<', BigInt(before))).execute();
}

import type { Db } from '#server/core/db/db.ts';

type OfAdmin = { adminId: string; before: string | undefined; limit: number };

/** Returns the successful and failed sign-ins of an administrator, newest first. */
export function selectSignIns(db: Db, { adminId, before, limit }: OfAdmin) {
  const newest = db
    .selectFrom('auditEntry')
    .select(['seq', 'at', 'action', 'details'])
    .where('actorId', '=', adminId)
    .where('action', 'in', ['auth.sign-in', 'auth.sign-in-refused'])
    .orderBy('seq', 'desc')
    .limit(limit);
  return (before === undefined ? newest : newest.where('seq', '<', BigInt(before))).execute();
}

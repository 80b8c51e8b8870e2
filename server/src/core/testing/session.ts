import { sealSession } from '#server/core/auth/session-seal.ts';
import type { Database } from '#server/core/db/db.ts';

/** Lets the sessions of an administrator end some milliseconds from now, as if they had started earlier. */
export function endSessionsIn(owner: Database, adminId: string, ms: number) {
  return owner.transaction().execute(async (tx) => {
    const sessions = await tx.selectFrom('session').selectAll().where('adminId', '=', adminId).execute();
    for (const session of sessions) {
      const endsAt = new Date(Date.now() + ms);
      const change = { endsAt, seal: sealSession({ ...session, endsAt }) };
      await tx.updateTable('session').set(change).where('id', '=', session.id).execute();
    }
  });
}

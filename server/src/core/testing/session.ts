import { type SealedSession, sealSession } from '#server/core/auth/session-seal.ts';
import type { Database } from '#server/core/db/db.ts';

type Change = Partial<Pick<SealedSession, 'createdAt' | 'endsAt' | 'factor'>>;

/** Changes the sessions of an administrator, as if they had started so. */
export function changeSessions(owner: Database, adminId: string, change: Change) {
  return owner.transaction().execute(async (tx) => {
    const sessions = await tx.selectFrom('session').selectAll().where('adminId', '=', adminId).execute();
    for (const session of sessions) {
      const changed = { ...change, seal: sealSession({ ...session, ...change }) };
      await tx.updateTable('session').set(changed).where('id', '=', session.id).execute();
    }
  });
}

/** Lets the sessions of an administrator end some milliseconds from now. */
export const endSessionsIn = (owner: Database, adminId: string, ms: number) =>
  changeSessions(owner, adminId, { endsAt: new Date(Date.now() + ms) });

/** Lets the sessions of an administrator have started some milliseconds ago. */
export const startSessionsAgo = (owner: Database, adminId: string, ms: number) =>
  changeSessions(owner, adminId, { createdAt: new Date(Date.now() - ms) });

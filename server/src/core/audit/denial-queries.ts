import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

export type DenialRow = {
  callerId: string;
  isApiKey: boolean;
  pending: number;
  calls: string[];
  /** Whether the last audit row about this caller is at least a minute old. */
  isDue: boolean;
};

/** A row names this many different calls at most. */
const callsAtMost = 20;

const isDue = sql<boolean>`audit_denial.recorded_at <= now() - interval '1 minute'`;
const columns = ['callerId', 'isApiKey', 'pending', 'calls'] as const;

/** Counts one more denial. The row stays locked, so that concurrent denials are counted one after the other. */
export function countDenial(
  tx: Tx,
  { callerId, isApiKey, call }: { callerId: string; isApiKey: boolean; call: string },
) {
  return tx
    .insertInto('auditDenial')
    .values({ callerId, isApiKey, pending: 1, calls: [call], recordedAt: sql`'-infinity'` })
    .onConflict((conflict) =>
      conflict.column('callerId').doUpdateSet({
        pending: sql`audit_denial.pending + 1`,
        calls: sql`case when ${call} = any(audit_denial.calls) or cardinality(audit_denial.calls) >= ${callsAtMost}
          then audit_denial.calls else audit_denial.calls || ${call}::text end`,
      }),
    )
    .returning([...columns, isDue.as('isDue')])
    .executeTakeFirstOrThrow();
}

export async function selectUncounted(db: Db) {
  const due = db.selectFrom('auditDenial').select('callerId').where('pending', '>', 0).where(isDue);
  return (await due.execute()).map(({ callerId }) => callerId);
}

export function lockPendingDenials(tx: Tx, callerId: string): Promise<DenialRow | undefined> {
  return tx
    .selectFrom('auditDenial')
    .select([...columns, isDue.as('isDue')])
    .where('callerId', '=', callerId)
    .where('pending', '>', 0)
    .forUpdate()
    .executeTakeFirst();
}

/** Starts a new minute for the caller: everything so far is in an audit row. */
export function updateCounted(tx: Tx, callerId: string) {
  return tx
    .updateTable('auditDenial')
    .set({ pending: 0, calls: [], recordedAt: sql`now()` })
    .where('callerId', '=', callerId)
    .execute();
}

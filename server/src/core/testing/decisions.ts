import type { ApprovalKind } from 'contract/approvals.ts';
import { sql } from 'kysely';
import { insertApproval, updateDecided } from '#server/core/approvals/queries.ts';
import type { Database, Tx } from '#server/core/db/db.ts';

type Decision = {
  kind: ApprovalKind;
  subjectId: string;
  units: bigint;
  requestedBy: string;
  /** The maker themselves, as in an installation with a single administrator, unless somebody else is given. */
  decidedBy?: string;
};

/** Decides a payment in this transaction, so that the triggers let exactly these units move in it. */
export async function decideInSql(tx: Tx, { decidedBy, ...request }: Decision) {
  const payload = { userUuid: null, facts: [] };
  const id = await insertApproval(tx, { ...request, asset: 'USD', payload, digest: '', digestVersion: 2, hours: 1 });
  const rule = decidedBy === undefined || decidedBy === request.requestedBy ? 'single' : 'second';
  await updateDecided(tx, id, { state: 'approved', rule, decidedBy: decidedBy ?? request.requestedBy });
  return id;
}

/** Sets how much each administrator may move alone in a day, for tests that are not about this limit. */
export const setAloneLimit = (owner: Database, units: bigint) =>
  sql`insert into approval_limit (kind, asset, version, limit_units)
    select kind, asset, max(version) + 1, ${units} from approval_limit where kind = 'alone' group by kind, asset`.execute(
    owner,
  );

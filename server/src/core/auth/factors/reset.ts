import { recordAudit } from '#server/core/audit/audit.ts';
import type { Tx } from '#server/core/db/db.ts';
import { setRequiresFactor } from '../credentials.ts';
import { markRemoved, selectPasskeys } from './passkey-queries.ts';
import { deleteTotp, replaceRecoveryCodes } from './queries.ts';

type Reset = {
  /** Null on the command line of the server. */
  actorId: string | null;
  adminId: string;
};

/** Removes all second factors of an administrator. Each passkey has an audit row, which `audit verify` reads. */
export async function resetFactors(tx: Tx, { actorId, adminId }: Reset) {
  await setRequiresFactor(tx, adminId, false);
  await deleteTotp(tx, adminId);
  await replaceRecoveryCodes(tx, adminId, []);
  for (const { id } of await selectPasskeys(tx, adminId)) {
    const details = await markRemoved(tx, { id, adminId });
    if (details) await recordAudit(tx, { actorId, action: 'auth.remove-passkey', subjectId: id, details });
  }
}

import type { TransferKind } from 'contract/ledger.ts';
import type { DifferenceCode, VerificationForm } from 'contract/ledger-verification.ts';
import { sql } from 'kysely';
import { findUnsealed, type SealedKind } from '#server/core/audit/record-seals.ts';
import type { Db } from '#server/core/db/db.ts';

const seals = {
  'deposit-unsealed': { kind: 'deposit', cause: 'deposit' },
  'withdrawal-unsealed': { kind: 'withdrawal', cause: 'withdrawal' },
  'withdrawal-request-unsealed': { kind: 'withdrawal-request', cause: 'withdrawal' },
} as const satisfies Partial<Record<DifferenceCode, { kind: SealedKind; cause: TransferKind }>>;

export type SealCode = keyof typeof seals;
export const isSealCode = (code: DifferenceCode): code is SealCode => code in seals;

/**
 * Returns the records without a seal that fits them. Whoever has stolen the database login of a process can write a
 * deposit and its transfer, which agree, but cannot seal it.
 */
export function findUnsealedRecords(db: Db, form: VerificationForm, code: SealCode) {
  const { kind, cause } = seals[code];
  if (form === 'full') return findUnsealed(db, kind);
  // An array is looked up by key: there are few new causes and many old ones.
  return findUnsealed(
    db,
    kind,
    sql<boolean>`id = any(array(select cause_id from changed_cause where changed_cause.kind = ${cause}))`,
  );
}

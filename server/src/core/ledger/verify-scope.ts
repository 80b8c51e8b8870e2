import type { TransferKind } from 'contract/ledger.ts';
import type { VerificationForm } from 'contract/ledger-verification.ts';
import { type RawBuilder, sql } from 'kysely';

/**
 * A question of the verification, for either form. Its query returns the places of a difference as text in the column
 * `where`, and no rows if all is well. Undefined: the other questions of this form imply it, or it needs the whole ledger.
 */
type Question = (form: VerificationForm) => RawBuilder<unknown> | undefined;
export type Questions<Code extends string> = Record<Code, Question>;

/** SQL for the transfers that are verified: all, or those that were posted since the last verification. */
export const verifiedTransfers = (form: VerificationForm) => (form === 'full' ? sql`transfer` : sql`new_transfer`);

export type CauseKind = TransferKind | 'run' | 'run-chunk';

const listed = (kinds: readonly CauseKind[]) => sql.join(kinds.map((kind) => sql.lit(kind)));

/** SQL that is true if the cause changed, or transfers were posted for it, since the last verification. */
export const isVerifiedCause = (form: VerificationForm, kinds: readonly CauseKind[], cause: RawBuilder<unknown>) =>
  form === 'full'
    ? sql<boolean>`true`
    : sql<boolean>`${cause} in (select cause_id from changed_cause where kind in (${listed(kinds)}))`;

/**
 * SQL for all transfers of the verified causes, also those that were verified before. The kinds must be paid once: their
 * earlier transfers are found through `transfer_once`.
 */
export const transfersOfCauses = (form: VerificationForm, kinds: readonly TransferKind[]) =>
  form === 'full'
    ? sql`(select * from transfer where kind in (${listed(kinds)}))`
    : sql`(
        select * from new_transfer where kind in (${listed(kinds)})
        union
        select it.* from (select distinct cause_id from changed_cause where kind in (${listed(kinds)})) as changed
        join transfer_once as once on once.cause_id = changed.cause_id and once.kind in (${listed(kinds)})
        join transfer as it on it.day = once.day and it.id = once.transfer_id
      )`;

/** Lists what changed since the last verification in temporary tables of the transaction, which the questions read. */
export const listChanges = [
  sql`
    create temporary table new_transfer on commit drop as
    select it.* from unverified_batch as batch
    cross join lateral unnest(batch.ids) as consecutive (ids)
    -- The offset keeps this a lookup by key: the planner knows nothing about the numbers of a batch.
    cross join lateral (
      select * from transfer
      where day = batch.day and id >= lower(consecutive.ids) and id < upper(consecutive.ids)
      offset 0
    ) as it`,
  sql`analyze new_transfer`,
  sql`
    create temporary table changed_cause on commit drop as
    select kind, cause_id, part from unverified_cause
    union
    select kind::text, cause_id, null from new_transfer where paid_once(kind)`,
  sql`analyze changed_cause`,
];

export const forgetChanges = [sql`drop table pg_temp.new_transfer`, sql`drop table pg_temp.changed_cause`];

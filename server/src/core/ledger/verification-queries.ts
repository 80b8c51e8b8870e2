import type { Verification, VerificationForm } from 'contract/ledger-verification.ts';
import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { figures, type Verdict } from './verify.ts';

/**
 * Admits one verification at a time; fails if there is another. LOCK TABLE takes no snapshot, so the snapshot of the
 * transaction is newer than the end of the verification before it.
 */
export async function lockVerification(tx: Tx, waits: boolean) {
  await sql`lock table verified_balance in share row exclusive mode ${waits ? sql`` : sql`nowait`}`.execute(tx);
  // Sums over the whole ledger spill to disk with the default.
  await sql`set local work_mem = '64MB'`.execute(tx);
}

/** Whether a verification has passed, and kept its sums. */
export async function hasVerifiedPoint(db: Db) {
  const [found] = await runQuery<{ exists: boolean }>(db, sql`select exists (select from verified_count)`);
  return found?.exists ?? false;
}

const columns = sql.raw(figures.join(', '));
const excluded = sql.raw(figures.map((figure) => `${figure} = excluded.${figure}`).join(', '));
const tupleOf = (table: string) => sql.raw(`row(${figures.map((figure) => `${table}.${figure}`).join(', ')})`);

/**
 * Keeps the sums of this snapshot for the next verification, and forgets what was to be verified. Rows of transactions
 * that commit after the snapshot are invisible here and stay.
 */
export async function closeBooks(tx: Tx, form: VerificationForm) {
  const verified = form === 'full' ? sql`true` : sql`user_id in (select user_id from new_transfer)`;
  await sql`
    insert into verified_total as before (user_id, ${columns})
    select user_id, ${columns} from user_total where ${verified}
    on conflict (user_id) do update set ${excluded}
    where ${tupleOf('before')} is distinct from ${tupleOf('excluded')}`.execute(tx);
  await sql`delete from verified_balance`.execute(tx);
  await sql`
    insert into verified_balance (account, asset, units)
    select account, asset, sum(units) from ledger_balance group by account, asset`.execute(tx);
  await sql`delete from verified_count`.execute(tx);
  await sql`
    insert into verified_count (kind, transfers)
    select kind, sum(delta) from transfer_count group by kind`.execute(tx);
  await sql`delete from unverified_batch`.execute(tx);
  await sql`delete from unverified_cause`.execute(tx);
}

export async function insertVerification(
  tx: Tx,
  { form, transfers, differences }: Verdict & { form: VerificationForm },
) {
  const [inserted] = await runQuery<{ id: string }>(
    tx,
    sql`
    insert into ledger_verification (form, transfers, differences, point)
    values (${form}, ${transfers}, ${JSON.stringify(differences)}::jsonb,
      ${differences.length === 0 ? sql`pg_current_snapshot()` : null})
    returning id`,
  );
  return inserted?.id ?? '';
}

export type VerificationRow = Omit<Verification, 'transfers'> & { transfers: bigint };

const columnsShown = sql`form, started_at as "startedAt", ended_at as "endedAt", transfers, differences`;

export async function selectPassed(db: Db, forms: readonly VerificationForm[]) {
  const [passed] = await runQuery<VerificationRow>(
    db,
    sql`select ${columnsShown} from ledger_verification
      where point is not null and form in (${sql.join(forms)}) order by id desc limit 1`,
  );
  return passed;
}

/** Returns a verification with differences that no later one of at least its scope has cleared; a full one first. */
export async function selectUncleared(db: Db) {
  const [failed] = await runQuery<VerificationRow>(
    db,
    sql`select ${columnsShown} from ledger_verification as it
      where point is null and not exists (
        select from ledger_verification as later
        where later.id > it.id and later.point is not null and (later.form = 'full' or later.form = it.form)
      )
      order by (form = 'full') desc, id desc limit 1`,
  );
  return failed;
}

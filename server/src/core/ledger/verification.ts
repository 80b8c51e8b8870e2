import { type Verification, VerificationForm } from 'contract/ledger-verification.ts';
import { type Database, type Db, isLocked, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import {
  closeBooks,
  hasVerifiedPoint,
  insertVerification,
  lockVerification,
  selectPassed,
  selectUncleared,
  type VerificationRow,
} from './verification-queries.ts';
import { forgetChanges, listChanges } from './verify-scope.ts';
import { type AllQuestions, findDifferences, type Verdict } from './verify.ts';

/** A full verification of a large ledger takes hours. */
export const longestVerificationSeconds = 6 * 3600;

export type Verified = Verdict & { form: VerificationForm };

/**
 * Verifies the ledger in one snapshot and records the verdict. An incremental verification reads everything if none has
 * passed yet. Returns undefined if another verification is running, unless it `waits` for that one. Money can move
 * meanwhile: what commits after the snapshot is left to the next verification.
 */
export async function verifyLedger(
  database: Database,
  { form, questions, waits = false }: { form: VerificationForm; questions: AllQuestions; waits?: boolean },
): Promise<Verified | undefined> {
  const transaction = database.transaction().setIsolationLevel('repeatable read');
  try {
    return await transaction.execute(async (tx) => {
      await lockVerification(tx, waits);
      const actual: VerificationForm = form === 'incremental' && (await hasVerifiedPoint(tx)) ? 'incremental' : 'full';
      const verdict = { form: actual, ...(await verdictOf(tx, actual, questions)) };
      await record(tx, verdict);
      return verdict;
    });
  } catch (error) {
    if (isLocked(error)) return undefined;
    throw error;
  }
}

/** A verification that found differences keeps the point of the last one that passed, so the next reads the same again. */
async function record(tx: Tx, verified: Verified) {
  const passed = verified.differences.length === 0;
  if (passed) await closeBooks(tx, verified.form);
  if (verified.form === 'incremental') for (const statement of forgetChanges) await statement.execute(tx);
  const id = await insertVerification(tx, verified);
  await announce(tx, { feature: 'ledger', id });
}

async function verdictOf(tx: Tx, form: VerificationForm, questions: AllQuestions) {
  if (form === 'incremental') for (const statement of listChanges) await statement.execute(tx);
  return findDifferences(tx, form, questions);
}

export async function readVerification(db: Db) {
  const passed = await selectPassed(db, VerificationForm.options);
  const full = await selectPassed(db, ['full']);
  const failed = await selectUncleared(db);
  return {
    passed: passed ? shown(passed) : null,
    lastFullAt: full?.endedAt ?? null,
    failed: failed ? shown(failed) : null,
  };
}

const shown = (row: VerificationRow): Verification => ({ ...row, transfers: Number(row.transfers) });

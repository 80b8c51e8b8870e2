import type { Db } from './core/db/db.ts';
import { verifyLedger } from './core/ledger/verify.ts';
import { runQuestions } from './features/runs/verify.ts';

/** Verifies the ledger, and that the runs agree with the transfers that they posted. */
export const verifyBooks = (db: Db) => verifyLedger(db, runQuestions);

import type { Db } from './core/db/db.ts';
import { type AllQuestions, findDifferences, ledgerQuestions } from './core/ledger/verify.ts';
import { runQuestions } from './features/runs/verify.ts';

/** All questions of a verification: about the ledger, and whether the runs agree with the transfers that they posted. */
export const bookQuestions: AllQuestions = { ...ledgerQuestions, ...runQuestions };

/** Verifies everything without recording it. */
export const verifyBooks = (db: Db) => findDifferences(db, 'full', bookQuestions);

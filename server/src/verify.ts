import type { Db } from './core/db/db.ts';
import { verifyLedger } from './core/ledger/verify.ts';
import { runQuestions } from './features/runs/verify.ts';

/** All books of an installation: the ledger, and every feature that posts many transfers at once. */
export const verifyBooks = (db: Db) => verifyLedger(db, runQuestions);

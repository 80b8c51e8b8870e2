import { sql } from 'kysely';
import { formatDifference } from '../../contract/src/ledger-differences.ts';
import { verifyAudit } from '../../server/src/core/audit/audit.ts';
import { findForged, findUnrecorded } from '../../server/src/core/audit/coverage.ts';
import type { Database, Tx } from '../../server/src/core/db/db.ts';
import { verifyBooks } from '../../server/src/verify.ts';
import type { Attempt } from './forged.ts';

export type Outcome =
  | 'refused'
  | 'opens nothing'
  | 'named by ledger verify'
  | 'named by audit verify'
  | 'harmless'
  | 'open';

/** A change of the defence that makes one guard useless. */
export type Weakened = { statement?: string; withoutSeals?: boolean };

class Undone extends Error {}

/**
 * Makes one attempt with the rights of a login, asks both verifications, and rolls everything back. The statements run
 * under SET SESSION AUTHORIZATION: to PostgreSQL that is the login itself, also for what its role inherits.
 */
export async function tryOut(
  owner: Database,
  { attempt, login, weakened = {} }: { attempt: Attempt; login: string; weakened?: Weakened },
): Promise<Outcome> {
  const found: { outcome: Outcome } = { outcome: 'open' };
  const undone = owner.transaction().execute(async (tx) => {
    if (weakened.statement) await sql.raw(weakened.statement).execute(tx);
    found.outcome = (await isRefused(tx, attempt, login)) ? 'refused' : await namedBy(tx, weakened);
    throw new Undone();
  });
  await undone.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
  return found.outcome === 'open' && attempt.harmless !== undefined ? 'harmless' : found.outcome;
}

async function isRefused(tx: Tx, { statements }: Attempt, login: string) {
  await sql`savepoint attempt`.execute(tx);
  await sql.raw(`set session authorization ${login}`).execute(tx);
  try {
    for (const statement of statements) await sql.raw(statement).execute(tx);
    await sql`set constraints all immediate`.execute(tx);
  } catch (error) {
    await sql`rollback to savepoint attempt`.execute(tx);
    await sql`reset session authorization`.execute(tx);
    if (!isOurRefusal(error)) throw new Error(`An attempt is wrong: ${statements.join('; ')}`, { cause: error });
    return true;
  }
  await sql`reset session authorization`.execute(tx);
  return false;
}

/** A missing right, a rule of ours, or a constraint; anything else is a mistake in the attempt. */
const isOurRefusal = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(42501|BU00[12]|23\d{3}|428C9)$/.test(String(error.code));

async function namedBy(tx: Tx, { withoutSeals = false }: Weakened): Promise<Outcome> {
  const { differences } = await verifyBooks(tx);
  const faults = differences.filter(({ code }) => !withoutSeals || !code.endsWith('-unsealed')).map(formatDifference);
  if (faults.length > 0) return 'named by ledger verify';
  const unsealed = withoutSeals ? [] : await findForged(tx);
  // The rest of the world was made without audit rows.
  const deletions = (await findUnrecorded(tx)).filter(({ code }) => code === 'deletion-unrecorded');
  const log = await verifyAudit(tx);
  return unsealed.length + deletions.length > 0 || !log.sound ? 'named by audit verify' : 'open';
}

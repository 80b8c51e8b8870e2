import type { KeyObject } from 'node:crypto';
import type { Finding } from 'contract/audit-verification.ts';
import type { Database, Db } from '#server/core/db/db.ts';
import { recordAudit } from './audit.ts';
import { findBadHead, effectiveHeads, type Verifying, verifyHeads } from './head.ts';
import { appendLine, type Restore, signLine } from './head-file.ts';
import { selectLastEntry, selectSigners } from './queries.ts';

type Signer = { id: string; username: string };

type Signing = { heads: Verifying & { signingKey: KeyObject }; signers: [Signer, Signer] };

/**
 * Records that the database was restored from a backup, so that the rows after it are lost. Both administrators get an
 * audit row, and the file of heads a line signed with the key of the worker: neither the database nor the key of the
 * seals is enough to pretend a restore. Throws if no published row is lost. Assumes that both have just authenticated.
 */
export async function signRestore(database: Database, { heads, signers }: Signing) {
  const { lines } = await verifyHeads(database, heads);
  const lost = await findBadHead(database, effectiveHeads(lines));
  if (!lost) throw new Error('No published row is missing: there is nothing to sign.');
  const lostFrom = String(lost.badSeq);
  const row = await database.transaction().execute(async (tx) => {
    for (const { id } of signers) {
      const details = { lostFrom, signedBy: signers.map(({ username }) => username) };
      await recordAudit(tx, { actorId: id, action: 'audit.sign-restore', subjectId: lostFrom, details });
    }
    return selectLastEntry(tx);
  });
  if (!row) throw new Error('The audit row of the restore is gone from the database.');
  const line = {
    seq: String(row.seq),
    seal: row.seal.toString('hex'),
    at: new Date().toISOString(),
    lostFrom,
    signedBy: [signers[0].username, signers[1].username] as [string, string],
  };
  await appendLine(heads.headFile, signLine<Restore>(line, heads.signingKey));
  return { lostFrom };
}

/** Each signed restore must have its two audit rows, by two administrators. */
export async function findUnsignedRestores(db: Db, restores: readonly Restore[]): Promise<Finding[]> {
  const unsigned: string[] = [];
  for (const { seq, lostFrom } of restores) {
    const signers = await selectSigners(db, { upTo: BigInt(seq), lostFrom });
    if (new Set(signers).size !== 2) unsigned.push(seq);
  }
  if (unsigned.length === 0) return [];
  return [{ code: 'restore-unrecorded', where: unsigned, count: unsigned.length, since: null }];
}

import type { Finding } from 'contract/audit-verification.ts';
import type { Db } from '#server/core/db/db.ts';
import { type Verdict, verifyAudit } from './audit.ts';
import { findForged, findUnrecorded } from './coverage.ts';
import { findOutdatedHead } from './freshness.ts';
import { ForgedHead, type Verifying, verifyHeads } from './head.ts';
import { type HeadLine, isRestore, type Restore } from './head-file.ts';
import { findUnsignedRestores } from './restore.ts';

export type VerifyDecisions = (db: Db) => Promise<Finding[]>;

type Params = {
  heads: Verifying;
  /** Verifies the signatures of approvals. It is passed in, because approvals import the audit log. */
  verifyDecisions: VerifyDecisions;
  /** Called after each batch with the number of rows so far. */
  onProgress?: (rows: bigint) => void | Promise<void>;
};

export type AuditVerdict = {
  /** How many rows the chain has. */
  rows: bigint;
  /** The newest row with a published head. */
  publishedUpTo: bigint;
  findings: Finding[];
  /** The restores from a backup that two administrators signed. */
  restores: Restore[];
};

/** Verifies everything about the audit log: the chain, the published heads, their age, and that no change is missing. */
export async function verifyEverything(db: Db, { heads, verifyDecisions, onProgress }: Params): Promise<AuditVerdict> {
  const chain = await verifyAudit(db, onProgress);
  const published = await verifyPublished(db, heads);
  // An altered row may not even be readable, and the changes that it records would seem unrecorded.
  const unrecorded = chain.sound ? [...(await findUnrecorded(db)), ...(await verifyDecisions(db))] : [];
  const ofChain = chain.sound ? [] : [findingOf(chain, chainCodes)];
  return {
    rows: chain.sound ? chain.rows : 0n,
    publishedUpTo: BigInt(published.lines.at(-1)?.seq ?? 0),
    findings: [...ofChain, ...published.findings, ...unrecorded, ...(await findForged(db))],
    restores: published.lines.filter(isRestore),
  };
}

async function verifyPublished(db: Db, heads: Verifying): Promise<{ findings: Finding[]; lines: HeadLine[] }> {
  try {
    const verdict = await verifyHeads(db, heads);
    const { lines } = verdict;
    const bad = verdict.sound ? [] : [findingOf(verdict, headCodes)];
    // Without any head there is nothing whose age could be checked.
    const outdated = lines.length > 0 ? await findOutdatedHead(db, { head: lines.at(-1) }) : undefined;
    const unsigned = await findUnsignedRestores(db, lines.filter(isRestore));
    return { findings: [...bad, ...(outdated ? [outdated] : []), ...unsigned], lines };
  } catch (error) {
    if (!(error instanceof ForgedHead)) throw error;
    return { findings: [{ code: 'head-forged', where: [error.seq], count: 1, since: null }], lines: [] };
  }
}

type Unsound = Extract<Verdict, { sound: false }>;
type Codes = Record<Unsound['why'], Finding['code']>;

const chainCodes: Codes = {
  missing: 'row-missing',
  altered: 'row-altered',
  cut: 'row-missing',
  'not covered by any published head': 'head-missing',
};
const headCodes: Codes = { ...chainCodes, altered: 'head-altered', cut: 'head-cut' };

const findingOf = ({ badSeq, why }: Unsound, codes: Codes): Finding => ({
  code: codes[why],
  where: [String(badSeq)],
  count: 1,
  since: null,
});

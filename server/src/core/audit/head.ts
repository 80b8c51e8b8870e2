import type { KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Db } from '#server/core/db/db.ts';
import type { Verdict } from './audit.ts';
import { appendLine, type HeadLine, isGenuine, isRestore, readLastLine, readLines, signLine } from './head-file.ts';
import { selectLastEntry, selectSeals, upsertHead } from './queries.ts';

export type Publishing = { signingKey: KeyObject; headFile: string };
export type Verifying = { verifyingKey: KeyObject; headFile: string };

/** Without new rows, the same row is published again after this time, so that a stopped publisher is noticed. */
const repeatedAfterMs = 2 * 60_000;

/**
 * Appends the newest seal, signed, to a file that the owner of the database cannot change, so that deleting the last
 * rows is detected. The database gets a copy of the line, with which Home warns if heads are no longer published.
 * Returns false if the log has no row yet.
 */
export async function publishHead(database: Database, { signingKey, headFile }: Publishing, now = new Date()) {
  const last = await selectLastEntry(database);
  if (!last) return false;
  const row = { seq: String(last.seq), seal: last.seal.toString('hex') };
  const published = await readLastLine(headFile);
  const isCurrent = published?.seq === row.seq && published.seal === row.seal;
  const ageMs = published ? now.getTime() - Date.parse(published.at) : Number.POSITIVE_INFINITY;
  if (isCurrent && ageMs >= 0 && ageMs < repeatedAfterMs) return true;
  const head = signLine({ ...row, at: now.toISOString() }, signingKey);
  await appendLine(headFile, head);
  await database.transaction().execute((tx) => upsertHead(tx, head));
  return true;
}

/** A line of the file of heads that the worker never signed. */
export class ForgedHead extends Error {
  readonly seq: string;

  constructor(headFile: string, seq: string) {
    super(`${headFile} holds a head (row ${seq}) that this key never signed.`);
    this.seq = seq;
  }
}

export type HeadsVerdict = Verdict & { lines: HeadLine[] };

/** Checks that each published head is still in the table with the same seal. Throws if a signature is invalid. */
export async function verifyHeads(db: Db, { verifyingKey, headFile }: Verifying): Promise<HeadsVerdict> {
  const lines = await readLines(headFile);
  for (const [index, line] of lines.entries()) {
    if (!isGenuine(line, verifyingKey)) throw new ForgedHead(headFile, line.seq);
    // Signatures are slow to check, and the worker must stay responsive.
    if (index % signaturesPerTurn === 0) await nextTurn();
  }
  const last = await selectLastEntry(db);
  if (lines.length === 0 && last) {
    return { sound: false, badSeq: last.seq, why: 'not covered by any published head', lines };
  }
  const rows = BigInt(lines.at(-1)?.seq ?? 0);
  return { ...((await findBadHead(db, effectiveHeads(lines))) ?? { sound: true, rows }), lines };
}

const signaturesPerTurn = 200;
const headsPerQuery = 5_000;

/** Returns the heads that no later restore has given up, without repetitions. */
export function effectiveHeads(lines: readonly HeadLine[]) {
  let heads: HeadLine[] = [];
  for (const line of lines) {
    if (isRestore(line)) heads = heads.filter(({ seq }) => BigInt(seq) < BigInt(line.lostFrom));
    const before = heads.at(-1);
    if (before?.seq !== line.seq || before.seal !== line.seal) heads.push(line);
  }
  return heads;
}

/** Returns the first head whose row is gone or has another seal. */
export async function findBadHead(
  db: Db,
  heads: readonly HeadLine[],
): Promise<Extract<Verdict, { sound: false }> | undefined> {
  for (let start = 0; start < heads.length; start += headsPerQuery) {
    const some = heads.slice(start, start + headsPerQuery);
    const seals = await selectSeals(
      db,
      some.map(({ seq }) => BigInt(seq)),
    );
    for (const { seq, seal } of some) {
      const found = seals.get(seq);
      if (!found) return { sound: false, badSeq: BigInt(seq), why: 'cut' };
      if (found !== seal) return { sound: false, badSeq: BigInt(seq), why: 'altered' };
    }
  }
  return undefined;
}

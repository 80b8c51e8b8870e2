import { type KeyObject, sign, verify } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Db } from '#server/core/db/db.ts';
import type { Verdict } from './audit.ts';
import { selectLastEntry, selectSeal } from './queries.ts';

const Head = z.object({ seq: z.string(), seal: z.string(), at: z.string(), signature: z.string() });
type Head = z.output<typeof Head>;

const signed = ({ seq, seal, at }: Omit<Head, 'signature'>) => Buffer.from(`${seq} ${seal} ${at}`);

type Publishing = { signingKey: KeyObject; headFile: string };

/**
 * Appends the newest seal, signed, to a file that the owner of the database cannot change, so that deleting the last
 * rows is detected. Returns the seq of the newest published row.
 */
export async function publishHead(db: Db, { signingKey, headFile }: Publishing, published = 0n) {
  const last = await selectLastEntry(db);
  if (!last || last.seq === published) return published;
  const head = { seq: String(last.seq), seal: last.seal.toString('hex'), at: new Date().toISOString() };
  const signature = sign(null, signed(head), signingKey).toString('base64');
  await appendFile(headFile, `${JSON.stringify({ ...head, signature })}\n`);
  return last.seq;
}

/** Checks that each published head is still in the table with the same seal. Throws if a signature is invalid. */
export async function verifyHeads(db: Db, heads: { verifyingKey: KeyObject; headFile: string }): Promise<Verdict> {
  const published = await readHeads(heads.headFile);
  const last = await selectLastEntry(db);
  if (published.length === 0 && last) {
    return { sound: false, badSeq: last.seq, why: 'not vouched for by any published head' };
  }
  for (const head of published) {
    const genuine = verify(null, signed(head), heads.verifyingKey, Buffer.from(head.signature, 'base64'));
    if (!genuine) throw new Error(`${heads.headFile} holds a head (row ${head.seq}) that this key never signed.`);
    const seq = BigInt(head.seq);
    const row = await selectSeal(db, seq);
    if (!row) return { sound: false, badSeq: seq, why: 'cut' };
    if (row.seal.toString('hex') !== head.seal) return { sound: false, badSeq: seq, why: 'altered' };
  }
  return { sound: true, rows: BigInt(published.at(-1)?.seq ?? 0) };
}

async function readHeads(headFile: string) {
  const text = await readFile(headFile, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => {
    try {
      return Head.parse(JSON.parse(line));
    } catch (cause) {
      throw new Error(`Line ${index + 1} of ${headFile} is not a head.`, { cause });
    }
  });
}

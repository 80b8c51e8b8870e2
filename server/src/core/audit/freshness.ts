import type { KeyObject } from 'node:crypto';
import { type Finding, headStaleAfterMs } from 'contract/audit-verification.ts';
import type { Db } from '#server/core/db/db.ts';
import { type HeadLine, isGenuine } from './head-file.ts';
import { selectFirstAfter, selectHead } from './queries.ts';

type At = { head: HeadLine | undefined; now?: Date };

/** Returns what is wrong with the newest head: none, too old, or older than rows that have waited for too long. */
export async function findOutdatedHead(db: Db, { head, now = new Date() }: At): Promise<Finding | undefined> {
  const isStale = (at: Date) => now.getTime() - at.getTime() > headStaleAfterMs;
  const beyond = await selectFirstAfter(db, head ? BigInt(head.seq) : 0n);
  const waiting = beyond && isStale(beyond.at) ? beyond : undefined;
  const row = waiting ? [String(waiting.seq)] : [];
  if (!head) return waiting && { code: 'head-missing', where: row, count: 1, since: waiting.at };
  const publishedAt = new Date(head.at);
  if (isStale(publishedAt)) return { code: 'publisher-stopped', where: row, count: row.length, since: publishedAt };
  return waiting && { code: 'rows-unpublished', where: row, count: 1, since: waiting.at };
}

/** The same, by the copy of the newest head in the database. Anyone with the worker's login can change that copy. */
export async function readFreshness(db: Db, verifyingKey: KeyObject) {
  const stored = await selectHead(db);
  const head = stored && isGenuine(stored, verifyingKey) ? stored : undefined;
  const finding: Finding | undefined =
    stored && !head
      ? { code: 'head-forged', where: [stored.seq], count: 1, since: null }
      : await findOutdatedHead(db, { head });
  return { heads: finding ?? null, publishedAt: head ? new Date(head.at) : null };
}

import type { AuditEntry } from 'contract/audit.ts';
import type { AuditFilter } from 'contract/audit-filter.ts';
import { rowsByDefault } from 'contract/core/paging.ts';
import type { Db } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { type EntryRow, selectActions, selectCallers, selectEntries, selectEntry } from './list-queries.ts';

type Params = AuditFilter & { cursor?: string | undefined; limit?: number | undefined };

export async function listEntries(db: Db, { limit = rowsByDefault, ...query }: Params) {
  const { rows, ...page } = await selectEntries(db, { ...query, limit });
  return { entries: rows.map(shown), ...page };
}

export async function readEntry(db: Db, id: string) {
  const row = await selectEntry(db, id);
  if (!row) throw new Refusal('EntryNotFound');
  return { entry: shown(row) };
}

export async function readChoices(db: Db) {
  return { callers: await selectCallers(db), actions: await selectActions(db) };
}

/** Returns null if there are more rows than are counted. */
export async function countEntries(db: Db, filter: AuditFilter) {
  const { total } = await selectEntries(db, { ...filter, limit: 1 });
  return total.capped ? null : BigInt(total.count);
}

const shown = ({ id, at, actor, apiKey, caller, action, subject, subjectName, details }: EntryRow): AuditEntry => ({
  id: String(id),
  at,
  actor,
  apiKey,
  caller,
  action,
  subject,
  subjectName,
  details: JSON.parse(details) as Record<string, unknown>,
});

import { listAuditEntries } from 'contract/audit.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { selectEntriesAbout } from './queries.ts';

const entriesShown = 25;

export function auditRoutes(api: Api, database: Database) {
  api.serve(listAuditEntries, async ({ querystring: { subject, before } }) => {
    const rows = await selectEntriesAbout(database, { subject, before, limit: entriesShown + 1 });
    const entries = rows.slice(0, entriesShown).map(({ seq, details, ...entry }) => ({
      ...entry,
      seq: String(seq),
      details: JSON.parse(details) as Record<string, unknown>,
    }));
    return { entries, olderThan: rows.length > entriesShown ? (entries.at(-1)?.seq ?? null) : null };
  });
}

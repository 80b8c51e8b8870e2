import * as contract from 'contract/audit.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { listEntries, readChoices, readEntry } from './list.ts';

export function auditRoutes(api: Api, database: Database) {
  api.serve(contract.listAuditEntries, ({ querystring }) => listEntries(database, querystring));

  api.serve(contract.readAuditEntry, ({ params }) => readEntry(database, params.id));

  api.serve(contract.readAuditChoices, () => readChoices(database));
}

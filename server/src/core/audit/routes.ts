import * as contract from 'contract/audit.ts';
import * as verification from 'contract/audit-verification.ts';
import type { Config } from '#server/config.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { readFreshness } from './freshness.ts';
import { listEntries, readChoices, readEntry } from './list.ts';
import { readVerifications, requestVerification } from './verification-work.ts';

type Deps = { database: Database; config: Pick<Config, 'audit'>; enqueue: Enqueue };

export function auditRoutes(api: Api, { database, config, enqueue }: Deps) {
  api.serve(contract.listAuditEntries, ({ querystring }) => listEntries(database, querystring));

  api.serve(contract.readAuditEntry, ({ params }) => readEntry(database, params.id));

  api.serve(contract.readAuditChoices, () => readChoices(database));

  api.serve(verification.readAuditVerification, async () => ({
    ...(await readVerifications(database)),
    ...(await readFreshness(database, config.audit.verifyingKey)),
  }));

  api.serve(verification.startAuditVerification, ({ actor }) =>
    inActorTransaction(database, actor, (tx) => requestVerification(tx, { actor, enqueue })),
  );
}

import * as contract from 'contract/maintenance.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { readMaintenance, setMaintenance } from './service.ts';

export function maintenanceRoutes(api: Api, database: Database) {
  api.serve(contract.readMaintenance, () => readMaintenance(database));

  api.serve(contract.setMaintenance, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => setMaintenance(tx, { actor, active: body.active })),
  );
}

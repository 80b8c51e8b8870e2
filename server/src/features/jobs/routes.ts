import { jobKinds } from 'contract/job-kinds.ts';
import { JobName } from 'contract/run-kinds.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { readJob, saveJob } from './service.ts';

export function jobRoutes(api: Api, database: Database) {
  for (const job of JobName.options) {
    const { read, save } = jobKinds[job];
    api.serve(read, () => readJob(database, job));
    api.serve(save, ({ body, actor }) =>
      inActorTransaction(database, actor, (tx) => saveJob(tx, { job, actor, ...body })),
    );
  }
}

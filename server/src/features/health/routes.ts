import * as contract from 'contract/health.ts';
import { assertMigrated } from '#server/core/db/migrate.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { countWorkers } from '#server/core/queue/worker-count.ts';
import { Refusal } from '#server/core/refusal.ts';

export function healthRoutes(api: Api, database: Database) {
  api.serve(contract.live, async () => ({ status: 'live' as const }));

  api.serve(contract.ready, async () => {
    await assertMigrated(database).catch(() => {
      throw new Refusal('NotReady', { retryAfterSeconds: 5 });
    });
    return { status: 'ready' as const };
  });

  api.serve(contract.workers, async () => {
    const workers = await countWorkers(database);
    if (workers === 0) throw new Refusal('NoWorker', { retryAfterSeconds: 15 });
    return { workers };
  });
}

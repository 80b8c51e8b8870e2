import * as contract from 'contract/health.ts';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { networkOf } from '#server/core/auth/networks.ts';
import { assertMigrated } from '#server/core/db/migrate.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { countWorkers } from '#server/core/queue/worker-count.ts';
import { Refusal } from '#server/core/refusal.ts';

const reports = new RateLimiterMemory({ points: 20, duration: 60 });

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

  api.serve(contract.reportPolicyViolation, async ({ body, request }) => {
    const { 'effective-directive': directive, 'blocked-uri': blocked } = body['csp-report'];
    // Anyone can send reports: those above the rate limit get the same response but are not logged.
    const withinLimit = await reports.consume(networkOf(request.ip)).catch(() => undefined);
    if (withinLimit) request.log.warn({ directive, blocked: blocked?.slice(0, 200) }, 'the page broke its policy');
    return {};
  });
}

import * as contract from 'contract/health.ts';
import { assertMigrated } from '#server/db/migrate.ts';
import type { Database } from '#server/db/db.ts';
import type { Api } from '#server/http/api.ts';
import { Refusal } from '#server/http/refusal.ts';

export function healthRoutes(api: Api, database: Database) {
  api.serve(contract.live, async () => ({ status: 'live' as const }));

  api.serve(contract.ready, async () => {
    await assertMigrated(database).catch(() => {
      throw new Refusal('NotReady', { retryAfterSeconds: 5 });
    });
    return { status: 'ready' as const };
  });

  api.serve(contract.reportPolicyViolation, async ({ body, request }) => {
    const { 'effective-directive': directive, 'blocked-uri': blocked } = body['csp-report'];
    request.log.warn({ directive, blocked }, 'the page broke its policy');
    return {};
  });
}

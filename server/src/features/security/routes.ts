import * as contract from 'contract/security.ts';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Config } from '#server/config.ts';
import { selectSignIns } from '#server/core/audit/sign-in-queries.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import { endOtherSessions, endOwnSession, selectOwnSessions } from '#server/core/auth/own-sessions.ts';
import { networkOf } from '#server/core/auth/networks.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { selectPolicyReports, upsertPolicyReport } from './queries.ts';

type Deps = { database: Database; config: Pick<Config, 'session'> };

const attemptsShown = 25;

export function securityRoutes(api: Api, { database, config: { session } }: Deps) {
  api.serve(contract.listOwnSessions, async ({ actor }) => ({
    sessions: await selectOwnSessions(database, actor, session),
  }));

  api.serve(contract.revokeOwnSession, async ({ params: { id }, actor }) => {
    await inActorTransaction(database, actor, (tx) => endOwnSession(tx, actor, id));
    return {};
  });

  api.serve(contract.revokeOtherSessions, ({ actor }) =>
    inActorTransaction(database, actor, async (tx) => ({ ended: await endOtherSessions(tx, actor) })),
  );

  api.serve(contract.listOwnSignIns, async ({ querystring: { before }, actor }) => {
    const rows = await selectSignIns(database, { adminId: actor.id, before, limit: attemptsShown + 1 });
    const attempts = rows.slice(0, attemptsShown).map(({ seq, at, action, details }) => ({
      seq: String(seq),
      at,
      succeeded: action === 'auth.sign-in',
      ...placeIn(details),
    }));
    return { attempts, olderThan: rows.length > attemptsShown ? (attempts.at(-1)?.seq ?? null) : null };
  });

  api.serve(contract.listPolicyReports, async () => ({
    reports: (await selectPolicyReports(database)).map((row) => ({ ...row, reports: Number(row.reports) })),
  }));

  policyReports(api, database);
}

function placeIn(details: string) {
  const { device = 'unknown', network = 'unknown' } = JSON.parse(details) as { device?: string; network?: string };
  return { device, network };
}

function policyReports(api: Api, database: Database) {
  const allowed = new RateLimiterMemory({ points: 20, duration: 60 });
  api.serve(contract.reportPolicyViolation, async ({ body, request }) => {
    const { 'effective-directive': directive = 'unknown', 'blocked-uri': uri = 'unknown' } = body['csp-report'];
    // Anyone can send reports: those above the rate limit get the same response but are not kept.
    const withinLimit = await allowed.consume(networkOf(request.ip)).catch(() => undefined);
    if (!withinLimit) return {};
    const violation = { directive, blocked: withoutQuery(uri) };
    request.log.warn(violation, 'the page broke its policy');
    await database.transaction().execute((tx) => upsertPolicyReport(tx, violation));
    return {};
  });
}

/** Drops the query of a URL, which can contain secrets, and would make one violation look like many. */
const withoutQuery = (uri: string) => (uri.split(/[?#]/, 1)[0] ?? '').slice(0, 200);

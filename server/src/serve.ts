import { ensureFirstAdmin } from './admins/first.ts';
import { adminRoutes } from './admins/routes.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { sealAuditWith } from './audit/key.ts';
import { auditRoutes } from './audit/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { openThrottle, type Throttle } from './auth/throttle.ts';
import type { Config } from './config.ts';
import { connect, type Database } from './db/db.ts';
import { assertSameVersion } from './db/migrate.ts';
import { effectsOf } from './effects.ts';
import { type Hub, openHub } from './events/hub.ts';
import { eventRoutes } from './events/routes.ts';
import { healthRoutes } from './health/routes.ts';
import type { Api } from './http/api.ts';
import { openApp } from './http/app.ts';
import type { Log } from './http/log.ts';
import { jobRoutes } from './jobs/routes.ts';
import { ledgerRoutes } from './ledger/routes.ts';
import { maintenanceRoutes } from './maintenance/routes.ts';
import { checkErrand, repairErrand } from './referrals/errands.ts';
import { referralRoutes } from './referrals/routes.ts';
import { analyticsRoutes } from './reports/analytics.ts';
import { owedByRuns, payErrand, planErrand } from './runs/begin.ts';
import { runRoutes } from './runs/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { stakingRoutes } from './staking/routes.ts';
import { taskRoutes } from './tasks/routes.ts';
import { type AskFor, openErrands } from './queue/queue.ts';
import { exportErrand } from './reports/errand.ts';
import { reportRoutes } from './reports/routes.ts';
import { ticketRoutes } from './tickets/routes.ts';
import { photoRoutes } from './users/photo-routes.ts';
import { teamRoutes } from './users/team-routes.ts';
import { userRoutes } from './users/routes.ts';
import { withdrawalRoutes } from './withdrawals/routes.ts';

const statementTimeoutMs = 5_000;

/** The HTTP server: every room's routes, and the built panel. */
export async function serve(config: Config, log: Log) {
  const { database, pool } = connect({
    url: config.database.url,
    role: 'bursar_app',
    connections: config.database.connections,
    statementTimeoutMs,
    onLostConnection: (error) => log.warn({ error }, 'a database connection was lost'),
  });
  sealAuditWith(config.audit.key);
  await assertSameVersion(database);
  await ensureFirstAdmin(database, config.firstAdmin);

  const hub = await openHub(config.database.url, log);
  const errands = await openErrands({ url: config.database.url, role: 'bursar_app', log }, [
    exportErrand,
    planErrand,
    payErrand,
    checkErrand,
    repairErrand,
  ]);
  const means = { config, database, hub, throttle: openThrottle(pool), askFor: errands.askFor };
  const app = await openApp({ config, database, pool, log }, (api) => addRooms(api, means));
  const address = await app.listen({ host: config.http.host, port: config.http.port });
  log.info({ address }, 'listening');

  const stop = async () => {
    await app.close();
    await hub.stop();
    await errands.stop();
    await database.destroy();
  };
  return { address, stop };
}

type Means = { config: Config; database: Database; hub: Hub; throttle: Throttle; askFor: AskFor };

/** Every call that this server answers. */
export function addRooms(api: Api, { config, database, hub, throttle, askFor }: Means) {
  healthRoutes(api, database);
  authRoutes(api, { database, throttle, config });
  eventRoutes(api, { database, hub, config });
  adminRoutes(api, database);
  ticketRoutes(api, database);
  userRoutes(api, database);
  photoRoutes(api, database);
  teamRoutes(api, database);
  referralRoutes(api, { database, askFor });
  approvalRoutes(api, { database, effects: effectsOf(askFor), fourEyes: config.fourEyes });
  ledgerRoutes(api, { database, owed: owedByRuns });
  auditRoutes(api, database);
  maintenanceRoutes(api, database);
  settingsRoutes(api, database);
  jobRoutes(api, database);
  runRoutes(api, { database, askFor });
  analyticsRoutes(api, database);
  withdrawalRoutes(api, database);
  stakingRoutes(api, database);
  taskRoutes(api, { database, owed: owedByRuns });
  reportRoutes(api, { database, config, askFor });
}

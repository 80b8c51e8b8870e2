import { ensureFirstAdmin } from './features/admins/first.ts';
import { adminRoutes } from './features/admins/routes.ts';
import { approvalRoutes } from './core/approvals/routes.ts';
import { sealAuditWith } from './core/audit/key.ts';
import { auditRoutes } from './core/audit/routes.ts';
import { verifyTask } from './core/audit/verification-work.ts';
import { authRoutes } from './core/auth/routes.ts';
import { ssoRoutes } from './core/auth/sso-routes.ts';
import { openThrottle, type Throttle } from './core/auth/throttle.ts';
import type { Config } from './config.ts';
import { connect, type Database } from './core/db/db.ts';
import { refuseWideLogin } from './core/db/logins.ts';
import { assertSameVersion } from './core/db/migrate.ts';
import { effectsOf } from './effects.ts';
import { type Hub, openHub } from './core/events/hub.ts';
import { eventRoutes } from './core/events/routes.ts';
import { healthRoutes } from './features/health/routes.ts';
import type { Api } from './core/http/api.ts';
import { openApp } from './core/http/app.ts';
import { holdKeys } from './core/keys.ts';
import type { Log } from './core/log.ts';
import { webhookRoutes } from './features/integrations/webhooks/routes.ts';
import { openSender } from './features/integrations/webhooks/sender.ts';
import { jobRoutes } from './features/jobs/routes.ts';
import { inboundLedgerRoutes } from './core/ledger/inbound-routes.ts';
import { ledgerRoutes } from './core/ledger/routes.ts';
import { keyRoutes } from './features/integrations/keys/routes.ts';
import { referenceRoutes } from './features/integrations/reference/routes.ts';
import { maintenanceRoutes } from './features/maintenance/routes.ts';
import { checkTask, repairTask } from './features/referrals/tasks.ts';
import { referralRoutes } from './features/referrals/routes.ts';
import { analyticsRoutes } from './features/reports/analytics.ts';
import { selectPayoutDay } from './features/runs/kinds/stake-payout.ts';
import { owedByRuns } from './features/runs/paying/start.ts';
import { runRoutes } from './features/runs/routes.ts';
import { factorRoutes } from './features/security/factor-routes.ts';
import { passkeyRoutes } from './features/security/passkey-routes.ts';
import { securityRoutes } from './features/security/routes.ts';
import { settingsRoutes } from './features/settings/routes.ts';
import { inboundStakingRoutes } from './features/staking/inbound-routes.ts';
import { stakingRoutes } from './features/staking/routes.ts';
import { inboundTaskRoutes } from './features/tasks/inbound-routes.ts';
import { taskRoutes } from './features/tasks/routes.ts';
import { type Enqueue, openTasks } from './core/queue/queue.ts';
import { exportTask } from './features/reports/tasks.ts';
import { inboundActivityRoutes } from './features/reports/inbound-routes.ts';
import { reportRoutes } from './features/reports/routes.ts';
import { inboundTicketRoutes } from './features/tickets/inbound-routes.ts';
import { ticketRoutes } from './features/tickets/routes.ts';
import { markActive } from './features/users/activity.ts';
import { photoRoutes } from './features/users/photo-routes.ts';
import { secretRoutes } from './features/users/secret-routes.ts';
import { teamRoutes } from './features/users/team-routes.ts';
import { inboundUserRoutes } from './features/users/inbound-routes.ts';
import { userRoutes } from './features/users/routes.ts';
import { inboundWithdrawalRoutes } from './features/withdrawals/inbound-routes.ts';
import { withdrawalRoutes } from './features/withdrawals/routes.ts';
import { planTask } from './features/runs/store/task-names.ts';

const statementTimeoutMs = 5_000;

/** Sign-ins of unknown devices use no other connections, so that a flood of them takes none from anybody else. */
const strangerConnections = 3;

/** Starts the HTTP server with all routes and the built panel. Fails if the database is not at this version. */
export async function serve(config: Config, log: Log) {
  const connectWith = (connections: number) =>
    connect({
      url: config.database.url,
      role: 'bursar_app',
      connections,
      statementTimeoutMs,
      onLostConnection: (error) => log.warn({ error }, 'a database connection was lost'),
    });
  const { database, pool } = connectWith(config.database.connections);
  const strangers = connectWith(strangerConnections);
  sealAuditWith(config.audit.key);
  holdKeys(config);
  if (config.database.logins === 'narrow') await refuseWideLogin(database, 'bursar_app');
  await assertSameVersion(database);
  await ensureFirstAdmin(database, config.firstAdmin);

  const hub = await openHub(config.database.url, log);
  const tasks = await openTasks({ url: config.database.url, role: 'bursar_app', log }, [
    exportTask,
    verifyTask,
    planTask,
    checkTask,
    repairTask,
  ]);
  const throttle = openThrottle({ known: pool, strangers: strangers.pool });
  const deps = { config, database, strangers: strangers.database, hub, throttle, enqueue: tasks.enqueue };
  const app = await openApp({ config, database, pool, log }, (api) => addFeatures(api, deps));
  const address = await app.listen({ host: config.http.host, port: config.http.port });
  log.info({ address }, 'listening');

  const stop = async () => {
    await app.close();
    await hub.stop();
    await tasks.stop();
    await strangers.database.destroy();
    await database.destroy();
  };
  return { address, stop };
}

type Deps = {
  config: Config;
  database: Database;
  strangers: Database;
  hub: Hub;
  throttle: Throttle;
  enqueue: Enqueue;
};

/** Registers the routes of every feature. */
export function addFeatures(api: Api, { config, database, strangers, hub, throttle, enqueue }: Deps) {
  healthRoutes(api, database);
  authRoutes(api, { database, strangers, throttle, config });
  ssoRoutes(api, { database, strangers, throttle, config });
  factorRoutes(api, { database, throttle, config });
  passkeyRoutes(api, { database, strangers, throttle, config });
  eventRoutes(api, { database, hub, config });
  adminRoutes(api, database);
  ticketRoutes(api, database);
  userRoutes(api, database);
  photoRoutes(api, database);
  secretRoutes(api, { database, secretsKey: config.secretsKey });
  teamRoutes(api, database);
  referralRoutes(api, { database, enqueue });
  approvalRoutes(api, { database, effects: effectsOf(enqueue), fourEyes: config.fourEyes });
  ledgerRoutes(api, { database, owed: owedByRuns });
  auditRoutes(api, { database, config, enqueue });
  maintenanceRoutes(api, database);
  webhookRoutes(api, { database, sender: openSender(config.webhooks), secretsKey: config.secretsKey });
  securityRoutes(api, { database, config });
  settingsRoutes(api, database);
  jobRoutes(api, database);
  runRoutes(api, { database, enqueue });
  analyticsRoutes(api, database);
  withdrawalRoutes(api, database);
  stakingRoutes(api, database);
  taskRoutes(api, { database, owed: owedByRuns });
  reportRoutes(api, { database, config, enqueue });
  keyRoutes(api, database);
  referenceRoutes(api);
  addInbound(api, database);
}

/** Registers the routes by which the platform brings in what happens on it. */
function addInbound(api: Api, database: Database) {
  inboundUserRoutes(api, database);
  inboundLedgerRoutes(api, database);
  inboundStakingRoutes(api, { database, payoutDay: selectPayoutDay });
  inboundWithdrawalRoutes(api, database);
  inboundTicketRoutes(api, database);
  inboundTaskRoutes(api, database);
  inboundActivityRoutes(api, { database, markActive });
}

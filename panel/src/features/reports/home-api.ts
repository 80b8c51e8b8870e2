import { readAuditVerification } from 'contract/audit-verification.ts';
import { countApprovals } from 'contract/approvals-count.ts';
import { readVerification } from 'contract/ledger-verification.ts';
import { listPausedWebhooks } from 'contract/integrations-paused.ts';
import { readMaintenance } from 'contract/maintenance.ts';
import { readActivity } from 'contract/runs-activity.ts';
import { readSchedule } from 'contract/runs-schedule.ts';
import { readAnalytics } from 'contract/reports.ts';
import { readSettings } from 'contract/settings.ts';
import { listFailedRuns } from 'contract/runs-failed.ts';
import { countTickets } from 'contract/tickets-count.ts';
import { readWithdrawalFigures } from 'contract/withdrawals-figures.ts';
import { queryFor } from '#panel/shell/query.ts';

const everyMinute = 60_000;

/** Polled, because these figures change with time alone. Live updates cover all other changes. */
export const analyticsQuery = { ...queryFor(readAnalytics, {}), refetchInterval: everyMinute };
/** A missing worker announces nothing. It must show within two minutes, and counts as missing after one. */
export const activityQuery = { ...queryFor(readActivity, {}), refetchInterval: everyMinute / 2 };
/** A publisher that has stopped announces nothing. */
export const auditQuery = { ...queryFor(readAuditVerification, {}), refetchInterval: everyMinute / 2 };
export const scheduleQuery = { ...queryFor(readSchedule, {}), refetchInterval: everyMinute };

export const maintenanceQuery = queryFor(readMaintenance, {});
export const settingsQuery = queryFor(readSettings, {});
export const withdrawalsQuery = queryFor(readWithdrawalFigures, {});
export const ticketsQuery = queryFor(countTickets, {});
export const approvalsQuery = queryFor(countApprovals, {});
export const verificationQuery = queryFor(readVerification, {});
export const pausedWebhooksQuery = queryFor(listPausedWebhooks, {});
export const failedRunsQuery = queryFor(listFailedRuns, {});

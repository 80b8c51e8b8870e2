import { countApprovals } from 'contract/approvals-count.ts';
import { readMaintenance } from 'contract/maintenance.ts';
import { readSchedule } from 'contract/runs-schedule.ts';
import { readAnalytics } from 'contract/reports.ts';
import { readSettings } from 'contract/settings.ts';
import { listFailedRuns } from 'contract/runs-failed.ts';
import { countTickets } from 'contract/tickets-count.ts';
import { readWithdrawalFigures } from 'contract/withdrawals-figures.ts';
import { asking } from '#panel/shell/query.ts';

const everyMinute = 60_000;

/** What time alone changes is asked for again as it passes; everything else is told by the server. */
export const analyticsQuery = { ...asking(readAnalytics, {}), refetchInterval: everyMinute };
export const scheduleQuery = { ...asking(readSchedule, {}), refetchInterval: everyMinute };

export const maintenanceQuery = asking(readMaintenance, {});
export const settingsQuery = asking(readSettings, {});
export const withdrawalsQuery = asking(readWithdrawalFigures, {});
export const ticketsQuery = asking(countTickets, {});
export const approvalsQuery = asking(countApprovals, {});
export const failedRunsQuery = asking(listFailedRuns, {});

import type { Exported, ExportFilter, ReportTab } from 'contract/reports.ts';
import { formatCount } from '#panel/ui/table/view.ts';

export const tabLabels = {
  withdrawal: 'Withdrawal Reports',
  staking: 'Staking Reports',
  task: 'Task Reports',
} as const satisfies Record<ReportTab, string>;

/** The title of the PDF. */
export const reportTitles = {
  withdrawal: 'Withdrawal Report',
  staking: 'Staking Report',
  task: 'Task Report',
} as const satisfies Record<ReportTab, string>;

/** The title of an export in the list. */
export const exportTitles = { ...reportTitles, run: 'Lines of a run', audit: 'Audit log' } as const satisfies Record<
  Exported,
  string
>;

export const valueColumns = {
  withdrawal: 'Amount ($)',
  staking: 'Stake ($)',
  task: 'Task',
} as const satisfies Record<ReportTab, string>;

export function formatFilter({ run, audit, user, status, date }: ExportFilter) {
  const parts = [
    ...Object.entries(audit ?? {}).map(([name, value]) => `${name} ${value}`),
    run && `run ${run.slice(-12)}`,
    user && `user contains “${user}”`,
    status && `status ${status}`,
    date && `on ${date}`,
  ];
  return parts.filter(Boolean).join(', ') || 'every row';
}

export type Pace = { done: number; total: number | null; perSecond: number | undefined };

/** Formats the known figures only: "3,400 of 9,812 rows", "4,100 rows/s", "2 s left". */
export function formatPace({ done, total, perSecond }: Pace) {
  const rows = total === null ? `${formatCount(done)} rows` : `${formatCount(done)} of ${formatCount(total)} rows`;
  if (!perSecond) return [rows];
  const rate = `${formatCount(Math.round(perSecond))} rows/s`;
  return total === null ? [rows, rate] : [rows, rate, `${formatDuration((total - done) / perSecond)} left`];
}

function formatDuration(seconds: number) {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  return whole < 3_600 ? `${Math.ceil(whole / 60)} min` : `${Math.ceil(whole / 3_600)} h`;
}

const units = ['kB', 'MB', 'GB'];

export function formatSize(bytes: number) {
  let size = bytes;
  let unit = 'bytes';
  for (const next of units) {
    if (size < 1_000) break;
    size /= 1_000;
    unit = next;
  }
  return `${size < 10 && unit !== 'bytes' ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

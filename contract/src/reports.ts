import { z } from 'zod';
import { AuditFilter } from './audit-filter.ts';
import { Day, endpoint, file, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { amount } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery } from './core/paging.ts';

export type ReportTab = z.output<typeof ReportTab>;
export const ReportTab = z.enum(['withdrawal', 'staking', 'task']);

/** Every status that a row of a report can have. */
export const reportStatuses = {
  withdrawal: ['Completed', 'Pending'],
  staking: ['Active', 'Ended'],
  task: ['Completed', 'Pending'],
} as const satisfies Record<ReportTab, readonly string[]>;

/** The number of rows per page. */
export const reportRows = 10;

/** The largest number of rows that the browser exports itself. Larger files are built by the server. */
export const builtInBrowser = 10_000;

/** A search without three letters or digits in a row cannot use the index, so it covers only the newest rows. */
export const newestSearched = 100_000;
export const searchesNewestOnly = (user: string) => !/[\p{L}\p{N}]{3}/u.test(user);

/** Part of the username (case-insensitive), the exact status, and the UTC day. */
export type ReportFilter = z.output<typeof ReportFilter>;
export const ReportFilter = z.strictObject({
  user: z.string().trim().min(1).max(64).optional(),
  status: z.string().trim().min(1).max(40).optional(),
  date: Day.optional(),
});

/** What can be exported: a report, the lines of a run, or the audit log. */
export type Exported = z.output<typeof Exported>;
export const Exported = z.enum([...ReportTab.options, 'run', 'audit']);

export type ExportFilter = z.output<typeof ExportFilter>;
export const ExportFilter = z.strictObject({
  ...ReportFilter.shape,
  run: z.uuid().optional(),
  audit: AuditFilter.optional(),
});

const query = z.strictObject({ ...pageQuery, ...ReportFilter.shape });
const row = { id: z.uuid(), user: z.string(), date: Day };

export type WithdrawalReportRow = z.output<typeof WithdrawalReportRow>;
export const WithdrawalReportRow = z.object({
  ...row,
  amount: amount('USD'),
  status: z.enum(reportStatuses.withdrawal),
});

export type StakingReportRow = z.output<typeof StakingReportRow>;
export const StakingReportRow = z.object({ ...row, stake: amount('USD'), status: z.enum(reportStatuses.staking) });

export type TaskReportRow = z.output<typeof TaskReportRow>;
export const TaskReportRow = z.object({ ...row, task: z.string(), status: z.enum(reportStatuses.task) });

const reporting = <T extends ReportTab, R extends z.ZodType>(tab: T, summary: string, rows: R) =>
  endpoint({
    feature: 'reports',
    method: 'GET',
    url: `/api/reports/${tab}`,
    access: 'reports.read',
    summary,
    querystring: query,
    answer: z.object({ rows: z.array(rows), ...pageAnswer }),
    refusals: { 422: badCursor },
  });

export const reportWithdrawals = reporting(
  'withdrawal',
  'Withdrawals that are completed or pending, newest first',
  WithdrawalReportRow,
);
export const reportStaking = reporting('staking', 'Stakes, newest first', StakingReportRow);
export const reportTasks = reporting('task', 'Tasks, newest first', TaskReportRow);

export const countFailedWithdrawals = endpoint({
  feature: 'reports',
  method: 'GET',
  url: '/api/reports/withdrawal/failed',
  access: 'reports.read',
  summary: 'How many failed withdrawals the report leaves out, of those that its user and date filters let through',
  querystring: ReportFilter.omit({ status: true }),
  answer: z.object({ failed: pageAnswer.total }),
  refusals: {},
});

export type ReportExport = z.output<typeof ReportExport>;
export const ReportExport = z.object({
  id: z.uuid(),
  tab: Exported,
  filter: ExportFilter,
  state: z.enum(['waiting', 'running', 'done', 'failed', 'cancelled']),
  rowsDone: z.int(),
  /** Null if the filter matches too many rows to count in advance. */
  rowsTotal: z.int().nullable(),
  bytes: z.int(),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp.nullable(),
  /** When the file is deleted. */
  keptUntil: Timestamp.nullable(),
});

const ExportNotFound = 'This export no longer exists.';
const ExportId = z.strictObject({ id: z.uuid() });

export const startExport = endpoint({
  feature: 'reports',
  stepUp: true,
  method: 'POST',
  url: '/api/reports/exports',
  access: 'reports.read',
  summary: 'Build a CSV file of every row that the filter lets through',
  body: z
    .strictObject({ tab: Exported, filter: ExportFilter })
    .refine(
      ({ tab, filter }) => (tab === 'run') === (filter.run !== undefined),
      rule('must name a run for the payments of a run, and none for a report'),
    )
    .refine(
      ({ tab, filter }) => (tab === 'audit') === (filter.audit !== undefined),
      rule('must have a filter of the audit log for the audit log, and none for a report'),
    ),
  answer: z.object({ export: ReportExport }),
  refusals: {
    404: { RunNotFound: 'There is no such run.' },
    429: { TooManyExports: 'Three of your exports are still being built. Wait for one or cancel it.' },
  },
});

export const listExports = endpoint({
  feature: 'reports',
  method: 'GET',
  url: '/api/reports/exports',
  access: 'reports.read',
  summary: 'Your own exports, newest first',
  answer: z.object({ exports: z.array(ReportExport) }),
  refusals: {},
});

export const cancelExport = endpoint({
  feature: 'reports',
  method: 'POST',
  url: '/api/reports/exports/:id/cancel',
  access: 'reports.read',
  summary: 'Stop building an export of your own',
  params: ExportId,
  answer: z.object({ export: ReportExport }),
  refusals: { 404: { ExportNotFound }, 409: { ExportFinished: 'This export is finished already.' } },
});

export const linkExport = endpoint({
  feature: 'reports',
  method: 'POST',
  url: '/api/reports/exports/:id/link',
  access: 'reports.read',
  stepUp: true,
  summary: 'An address from which the browser can fetch the file once, within a minute',
  params: ExportId,
  answer: z.object({ key: z.string() }),
  refusals: { 404: { ExportNotFound }, 409: { ExportNotReady: 'This export is not finished.' } },
});

export const downloadExport = endpoint({
  feature: 'reports',
  method: 'GET',
  url: '/api/reports/exports/:id/file',
  access: 'anyone',
  summary: 'Download the file with the key in its link',
  params: ExportId,
  querystring: z.strictObject({ key: z.string().min(1).max(100) }),
  answer: file('text/csv'),
  refusals: { 404: { ExportNotFound } },
});

export type Action = z.output<typeof Action>;
export const Action = z.enum(['Login', 'Sign-up', 'Purchases', 'Messages', 'Support']);
export type Interaction = z.output<typeof Interaction>;
export const Interaction = z.enum(['Browsing', 'Checkout', 'Referrals', 'Edits']);

export type Analytics = z.output<typeof Analytics>;
export const Analytics = z.object({
  /** Seven months, ending with the last in which a user registered. */
  registrations: z.array(z.object({ month: Day, count: z.int() })),
  /** Counts of the last 30 days. */
  actions: z.array(z.object({ kind: Action, count: z.int() })),
  interactions: z.array(z.object({ kind: Interaction, count: z.int() })),
  /** The share of users who were active in the last 30 days. */
  engagement: z.object({ percent: z.int(), active: z.int(), users: z.int() }),
});

export const readAnalytics = endpoint({
  feature: 'reports',
  method: 'GET',
  url: '/api/reports/analytics',
  access: 'platform.read',
  summary: 'The figures of the dashboard, from counters',
  answer: Analytics,
  refusals: {},
});

import { writeAmount } from 'contract/core/money.ts';
import type { ReportTab, StakingReportRow, TaskReportRow, WithdrawalReportRow } from 'contract/reports.ts';

export type ReportRow = WithdrawalReportRow | StakingReportRow | TaskReportRow;

/** A row of an export file. The value is an amount, a stake or a task. */
export type Cells = [user: string, value: string, date: string, status: string];

export function cellsOf(row: ReportRow): Cells {
  return [row.user, valueOf(row), row.date, row.status];
}

function valueOf(row: ReportRow) {
  if ('task' in row) return row.task;
  return writeAmount('stake' in row ? row.stake : row.amount, 'USD');
}

const valueHeadings = { withdrawal: 'Amount', staking: 'Stake', task: 'Task' } as const satisfies Record<
  ReportTab,
  string
>;

export const headingsOf = (tab: ReportTab): Cells => ['User', valueHeadings[tab], 'Date', 'Status'];

export const fileName = (tab: ReportTab, type: 'csv' | 'pdf') => `${tab}_report.${type}`;

import {
  countFailedWithdrawals,
  listExports,
  reportStaking,
  reportTasks,
  reportWithdrawals,
  type WithdrawalReportRow,
} from 'contract/reports.ts';
import { answerFrame } from './app.ts';
import { freshId, onePage } from './list-answers.ts';
import { answer } from './server.ts';

export const withdrawalRow = (given: Partial<WithdrawalReportRow> = {}): WithdrawalReportRow => ({
  id: freshId(),
  user: 'milancosta',
  amount: 483_280_000n,
  date: '2026-11-01',
  status: 'Completed',
  ...given,
});

export function answerReports({ rows, failed }: { rows: WithdrawalReportRow[]; failed: number }) {
  answerFrame();
  answer(reportWithdrawals, { rows, ...onePage(rows) });
  answer(reportStaking, { rows: [], ...onePage([]) });
  answer(reportTasks, { rows: [], ...onePage([]) });
  answer(countFailedWithdrawals, { failed: { count: failed, capped: false } });
  answer(listExports, { exports: [] });
}

import { listRecoveries } from 'contract/admins-recovery.ts';
import { type ListedApproval, listApprovals } from 'contract/approvals.ts';
import { listPausedWebhooks } from 'contract/integrations-paused.ts';
import {
  type Difference,
  readVerification,
  type Verification,
  type VerificationForm,
} from 'contract/ledger-verification.ts';
import { readAnalytics } from 'contract/reports.ts';
import { listFailedRuns } from 'contract/runs-failed.ts';
import { readActivity } from 'contract/runs-activity.ts';
import { readSchedule } from 'contract/runs-schedule.ts';
import { listOpenedKeys } from 'contract/users-opened-keys.ts';
import { page } from 'vitest/browser';
import { type Admin, answerFrame } from './app.ts';
import { onePage } from './list-answers.ts';
import { answer } from './server.ts';

export const tile = (name: RegExp) => page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name });

export const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

export const verification = (form: VerificationForm, endedAt: Date, differences: Difference[] = []): Verification => ({
  form,
  startedAt: endedAt,
  endedAt,
  transfers: 18,
  differences,
});

export function answerHome(admin?: Admin) {
  answerFrame(admin);
  answer(readVerification, { passed: verification('full', minutesAgo(1)), lastFullAt: minutesAgo(1), failed: null });
  answerRequests([]);
  answer(readSchedule, { schedule: [] });
  answer(listFailedRuns, { runs: [] });
  answer(readActivity, { workers: 1, stalled: [] });
  answer(listPausedWebhooks, { webhooks: [] });
  answer(listOpenedKeys, { opened: [] });
  answer(listRecoveries, { recoveries: [] });
  answer(readAnalytics, {
    registrations: [],
    actions: [],
    interactions: [],
    engagement: { percent: 0, active: 0, users: 0 },
  });
}

export function answerRequests(approvals: ListedApproval[]) {
  answer(listApprovals, { approvals, ...onePage(approvals), aloneAfterSeconds: null });
}

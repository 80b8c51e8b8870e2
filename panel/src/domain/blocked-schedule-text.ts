import type { BlockedSchedule } from 'contract/runs-schedule.ts';
import { type RunKind, runKinds } from 'contract/run-kinds.ts';
import type { RunState } from 'contract/run-states.ts';
import { formatTotal } from '#panel/ui/table/view.ts';
import { formatDayAndMonth } from '#panel/ui/time-text.ts';
import { runKindText } from './run-kinds.ts';
import { formatPeriod } from './run-text.ts';

type Blocked = { job: RunKind; blockedSchedule: BlockedSchedule };

/** "Stake payout on hold since 12 Nov: 3 days unpaid" */
export function formatBlockedSchedule({ job, blockedSchedule }: Blocked) {
  const behind = formatMissed({ job, blockedSchedule });
  const since = `${runKinds[job].title} on hold since ${formatDayAndMonth(blockedSchedule.since)}`;
  return behind === undefined ? since : `${since}: ${behind}`;
}

/** Unpaid days are still paid later; a distribution that was due in the meantime is missed. */
export function formatMissed({ job, blockedSchedule: { waiting } }: Blocked) {
  if (waiting === 0) return undefined;
  return formatTotal({ count: waiting, capped: false }, runKindText[job].missed);
}

const happened: Record<RunState, string> = {
  planning: 'is being planned',
  planned: 'is planned and has not been started',
  waiting: 'waits for a second approver',
  running: 'is under way',
  paused: 'is paused',
  failed: 'has failed',
  completed: 'was reversed',
  cancelled: 'was canceled',
  refused: 'was refused',
};

/** "The run for 12 Nov 2026 was refused" */
export function formatBlockingRun({ job, blockedSchedule: { run } }: Blocked) {
  const what = run.reverses === null ? 'The run for' : 'The reversal of';
  return `${what} ${formatPeriod({ kind: job, period: run.period })} ${happened[run.state]}`;
}

import type { BlockedSchedule } from 'contract/runs-schedule.ts';
import { expect, test } from 'vitest';
import { formatBlockedSchedule, formatBlockingRun } from './blocked-schedule-text.ts';

const refused: BlockedSchedule = {
  run: {
    id: '019c0000-0000-7000-8000-000000000000',
    period: '2026-11-11',
    state: 'refused',
    reversed: 'none',
    reverses: null,
  },
  since: new Date('2026-11-12T00:01:00Z'),
  why: null,
  nextAction: 'plan',
  approval: null,
  waiting: 3,
};

test('a blocked schedule shows since when it is on hold and how much is unpaid', () => {
  const text = (job: 'stake-payout' | 'gmp-distro', waiting: number) =>
    formatBlockedSchedule({ job, blockedSchedule: { ...refused, waiting } });
  expect(text('stake-payout', 3)).toBe('Stake payout on hold since 12 Nov: 3 days unpaid');
  expect(text('stake-payout', 1)).toBe('Stake payout on hold since 12 Nov: 1 day unpaid');
  expect(text('stake-payout', 0)).toBe('Stake payout on hold since 12 Nov');
  expect(text('gmp-distro', 2)).toBe('GMP distribution on hold since 12 Nov: 2 more missed');
});

test('the blocking run is named by the period that it pays or reverses', () => {
  const text = (run: Partial<BlockedSchedule['run']>) =>
    formatBlockingRun({ job: 'stake-payout', blockedSchedule: { ...refused, run: { ...refused.run, ...run } } });
  expect(text({})).toBe('The run for 11 Nov 2026 was refused');
  expect(text({ reverses: refused.run.id, state: 'paused' })).toBe('The reversal of 11 Nov 2026 is paused');
  expect(text({ state: 'completed' })).toBe('The run for 11 Nov 2026 was reversed');
});

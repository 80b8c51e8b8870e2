import { listRunLines, type RunLine } from 'contract/runs-lines.ts';
import { type ListedRun, listRuns, type RunDetail, readRun } from 'contract/runs.ts';
import { type Admin, answerFrame } from './app.ts';
import { freshId, longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';

/** A completed payout of one day: $56.555 in two payments. */
export const listedRun = (given: Partial<ListedRun> = {}): ListedRun => ({
  id: freshId(),
  kind: 'stake-payout',
  period: '2026-11-12',
  day: '2026-11-12',
  asset: 'USD',
  state: 'completed',
  reversed: 'none',
  why: null,
  reverses: null,
  reason: null,
  onlyUser: null,
  settingsVersion: 1,
  planHash: 'd'.repeat(64),
  lines: 2,
  skipped: 0,
  budget: '100.00',
  pays: '56.555',
  setsAside: '30.00',
  keeps: '13.445',
  releases: '0.00',
  returned: '0.00',
  plannedBy: 'ines.moreau',
  createdAt: longAgo,
  plannedAt: longAgo,
  startedBy: 'ines.moreau',
  approvedBy: null,
  startedAt: longAgo,
  endedAt: longAgo,
  paidLines: 2,
  paid: '56.555',
  net: '56.555',
  ...given,
});

export const runLine = (given: Partial<RunLine> = {}): RunLine => ({
  user: { id: freshId(), userId: 'U-100001', username: 'milancosta', isDeleted: false },
  stakeId: 'S100001320',
  endsOn: '2026-12-03',
  cause: freshId(),
  input: '5000.00',
  rate: 1_000,
  ranked: true,
  base: '2.50',
  bonus: '1.00',
  loyalty: '1.50',
  closing: '0.00',
  completes: false,
  skip: null,
  isSkippedSince: false,
  paid: true,
  reversed: false,
  ...given,
});

export const progressOf = (
  { paidLines, paid }: ListedRun,
  given: Partial<RunDetail['progress']> = {},
): RunDetail['progress'] => ({
  chunks: 1,
  paidChunks: paidLines > 0 ? 1 : 0,
  paidLines,
  paid,
  receivables: { users: 0, amount: '0.00' },
  skippedSince: { lines: 0, amount: '0.00' },
  open: { chunks: 0, lines: 0, amount: '0.00' },
  transfers: 6,
  linesPerSecond: 0,
  ...given,
});

const detailOf = (listed: ListedRun, given: Partial<RunDetail>): RunDetail => {
  const { paidLines, paid, net, ...run } = listed;
  return {
    run,
    progress: progressOf(listed),
    kept: { unranked: '13.445', withheld: '0.00', unshared: '0.00', rounded: '0.00' },
    skips: [],
    largest: [],
    before: null,
    reversedBy: null,
    period: {
      runs: [{ id: run.id, state: run.state, reversed: run.reversed, reverses: run.reverses, paidLines, paid }],
      net,
    },
    hasUnpaidPeriod: false,
    approval: null,
    denial: null,
    cover: null,
    request: null,
    alone: { limit: '1000.00', usedToday: '0.00' },
    settings: { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 },
    inputs: {},
    collects: '0.00',
    stalled: null,
    errors: [],
    archive: null,
    ...given,
  };
};

export function answerRuns(runs: readonly ListedRun[], admin?: Admin) {
  answerFrame(admin);
  answer(listRuns, { runs: [...runs], ...onePage(runs) });
}

type Page = { lines?: readonly RunLine[]; detail?: Partial<RunDetail> };

/** Sets the responses for the page of one run. */
export function answerRun(run: ListedRun, { lines = [], detail = {} }: Page = {}, admin?: Admin) {
  answerRuns([run], admin);
  answer(readRun, detailOf(run, detail));
  answer(listRunLines, { lines: [...lines], ...onePage(lines) });
}

import { type Asset, readAmount, writeAmount } from 'contract/core/money.ts';
import { type RunKind, runKinds } from 'contract/run-kinds.ts';
import { isMoving } from 'contract/run-states.ts';
import { rowsByDefault } from 'contract/core/paging.ts';
import { type LineSort, type RunLine, SkipReason } from 'contract/runs-lines.ts';
import type { PeriodRun, RunDetail } from 'contract/runs.ts';
import { z } from 'zod';
import { readAloneLimit } from '#server/core/approvals/limits.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { readStall } from './activity.ts';
import { selectBefore, selectErrors, selectRequest, selectReversal, selectSums } from './detail-queries.ts';
import { treasuryOf } from '#server/core/ledger/lines.ts';
import { selectBooked } from '#server/core/ledger/receivables.ts';
import { selectToFund, selectToFundOf } from '../paying/pay-queries.ts';
import { hasUnpaidPeriod } from '../planning/replan.ts';
import { type AmountRange, type LineRow, selectLargest, selectLines, selectUsersFound } from './line-queries.ts';
import { selectArchive } from '../store/archived.ts';
import { selectPeriod } from '../store/outcome-queries.ts';
import { type RunRow, selectRun } from '../store/run-queries.ts';
import { shown } from '../store/wire.ts';

export async function readRun(db: Db, id: string, actor: Pick<Actor, 'id'>): Promise<RunDetail> {
  const run = await selectRun(db, id);
  if (!run) throw new Refusal('RunNotFound');
  const amount = (units: bigint) => writeAmount(units, run.asset);
  const sums = await selectSums(db, id);
  const before = await selectBefore(db, run);
  const largest = await selectLargest(db, run);
  const alone = await readAloneLimit(db, actor, run.asset);
  const booked = await selectBooked(db, id);
  const archive = await selectArchive(db, run.day);
  return {
    run: shown(run),
    progress: {
      chunks: sums.chunks,
      paidChunks: sums.paidChunks,
      paidLines: Number(sums.paidLines),
      paid: amount(sums.paid),
      transfers: Number(sums.transfers),
      receivables: { users: Number(booked.users), amount: amount(booked.units) },
      skippedSince: { lines: Number(sums.droppedLines), amount: amount(sums.dropped) },
      open: { chunks: sums.chunks - sums.paidChunks, lines: Number(sums.openLines), amount: amount(sums.open) },
      linesPerSecond: Number(sums.lately) / 10,
    },
    kept: {
      unranked: amount(sums.unranked),
      withheld: amount(sums.withheld),
      unshared: amount(sums.unshared),
      rounded: amount(sums.rounded),
    },
    skips: Skips.parse(run.skips).toSorted((one, other) => other.lines - one.lines),
    largest: largest.map((line) => lineOf(run, line)),
    before: before
      ? {
          id: before.id,
          period: before.period,
          lines: Number(before.lines - before.skipped),
          pays: amount(before.pays),
          releases: amount(before.releases),
        }
      : null,
    reversedBy: await selectReversal(db, id),
    ...(await selectRequest(db, id)),
    period: await readPeriod(db, run),
    hasUnpaidPeriod: archive === null && (await hasUnpaidPeriod(db, run)),
    cover: await readCover(db, run),
    alone: { limit: amount(alone.limit), usedToday: amount(alone.usedToday) },
    ...basisOf(run),
    collects: amount(run.collects),
    stalled: isMoving(run.state) ? await readStall(db, id) : null,
    errors: await selectErrors(db, id),
    archive,
  };
}

/** Returns what the treasury holds, what other runs still take from it, and what this run needs. */
async function readCover(db: Db, run: RunRow) {
  if (run.endedAt !== null || run.reverses !== null || run.planHash === null) return null;
  const amount = (units: bigint) => writeAmount(units, run.asset);
  const needed = await selectToFundOf(db, run.id);
  const all = await selectToFund(db, run);
  return { treasury: amount(await treasuryOf(db, run.asset)), reserved: amount(all - needed), needed: amount(needed) };
}

async function readPeriod(db: Db, { id, asset }: { id: string; asset: Asset }) {
  const { runs, net } = await selectPeriod(db, id);
  const shownRuns = runs.map(
    ({ paidLines, paid, ...run }): PeriodRun => ({
      ...run,
      paidLines: Number(paidLines),
      paid: writeAmount(paid, asset),
    }),
  );
  return { runs: shownRuns, net: writeAmount(net, asset) };
}

/** The stored settings: text, numbers and booleans. Null values are left out. */
const Settings = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .transform((all) =>
    Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
  );

/** The number of skipped lines per reason. */
const Skips = z.partialRecord(SkipReason, z.int()).transform((counts) =>
  SkipReason.options.flatMap((reason) => {
    const lines = counts[reason];
    return lines === undefined ? [] : [{ reason, lines }];
  }),
);

const Inputs = z.record(z.string(), z.string());

/** Returns what the lines of a run were computed from. */
export const basisOf = ({ settings, inputs }: Pick<RunRow, 'settings' | 'inputs'>) => ({
  settings: Settings.parse(settings),
  inputs: Inputs.parse(inputs),
});

type LineQuery = {
  id: string;
  skip?: SkipReason | undefined;
  user?: string | undefined;
  search?: string | undefined;
  minAmount?: string | undefined;
  maxAmount?: string | undefined;
  sort?: LineSort | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

export async function listLines(db: Db, { id, limit, cursor, skip, sort = 'user', ...query }: LineQuery) {
  const run = await selectRun(db, id);
  if (!run) throw new Refusal('RunNotFound');
  const { rows, ...page } = await selectLines(db, {
    run,
    users: await usersOf(db, query),
    range: rangeOf(query, run.asset),
    skip,
    sort,
    cursor,
    limit: limit ?? rowsByDefault,
  });
  return { lines: rows.map((line) => lineOf(run, line)), ...page };
}

/** There are fewer users than payments, so the users are found first and then their payments. */
async function usersOf(db: Db, { user, search }: Pick<LineQuery, 'user' | 'search'>) {
  const chosen = user === undefined ? undefined : [user];
  if (search === undefined) return chosen;
  const found = await selectUsersFound(db, search);
  if (!found) throw new Refusal('TooManyUsers');
  return chosen ? chosen.filter((user) => found.includes(user)) : found;
}

function rangeOf(
  { minAmount, maxAmount }: Pick<LineQuery, 'minAmount' | 'maxAmount'>,
  asset: Asset,
): AmountRange | undefined {
  if (minAmount === undefined && maxAmount === undefined) return undefined;
  const units = (amount: string | undefined) => (amount === undefined ? undefined : readAmount(amount, asset));
  return { min: units(minAmount), max: units(maxAmount) };
}

export function lineOf(
  { kind, asset }: { kind: RunKind; asset: Asset },
  { userUuid, userNumber, username, retired, ...line }: LineRow,
): RunLine {
  const amount = (units: bigint) => writeAmount(units, asset);
  return {
    user: { id: userUuid, userId: userNumber, username, isDeleted: retired },
    stakeId: line.stakeId,
    endsOn: line.endsOn,
    cause: line.cause,
    input: writeAmount(line.input, runKinds[kind].input.asset),
    rate: line.rate,
    ranked: line.ranked,
    base: amount(line.base),
    bonus: amount(line.bonus),
    loyalty: amount(line.loyalty),
    closing: amount(line.closing),
    completes: line.completes,
    skip: line.skip,
    isSkippedSince: line.planned && line.skip !== null,
    paid: line.paid,
    reversed: line.reversed,
  };
}

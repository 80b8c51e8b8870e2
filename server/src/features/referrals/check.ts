import { type FindingKind, listedAtMost } from 'contract/referrals.ts';
import { type Database, isTransient, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import {
  carryAroundRings,
  carryGaps,
  countDeltaPieces,
  digestCorrections,
  firstGap,
  firstPlace,
  insertCorrections,
  insertDeltas,
  insertGaps,
  insertGapsOfLeaves,
} from './counter-queries.ts';
import {
  analyze,
  beforeAll,
  climbFromSuspects,
  countUsers,
  type Found,
  insertRing,
  judgeSponsors,
  prepareScratch,
  selectSharedWallets,
  selectWalletEnd,
} from './find-queries.ts';
import {
  deleteSomeOf,
  holdReport,
  insertFindings,
  lockReport,
  selectOutdated,
  selectReport,
  updateDone,
  updateFailed,
  updateProgress,
  type Wrong,
} from './queries.ts';

type Deps = { database: Database };

class HeldElsewhere extends Error {}

/**
 * Makes a report in one transaction with one snapshot: users who join or stake while it runs are in all of its figures
 * or in none. The transaction is long, but its statements are short and it locks nothing. An interrupted report is
 * started over. An error that is not transient fails it.
 */
export async function makeReport({ database }: Deps, id: string, signal: AbortSignal) {
  const report = await selectReport(database, id);
  if (report?.state !== 'waiting' && report?.state !== 'running') return;
  try {
    const made = await database
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        const at = await holdReport(tx, id);
        // The lock of a process that lost its connection is held for some more seconds.
        if (!at) throw new HeldElsewhere('Another process still holds this report.');
        await deleteLists(database, id);
        return { at, ...(await checkEveryone(tx, { database, id, signal })) };
      });
    await finish(database, id, made);
  } catch (error) {
    if (signal.aborted || isTransient(error) || error instanceof HeldElsewhere) throw error;
    await giveUp(database, id, error);
    throw error;
  }
}

type Report = { database: Database; id: string; signal: AbortSignal };
type Check = {
  id: string;
  found: Map<FindingKind, number>;
  /** Called after each piece, with the number of rows that were read. */
  advance: (rows: number) => Promise<void>;
};

async function checkEveryone(tx: Tx, report: Report) {
  await prepareScratch(tx);
  const users = await countUsers(tx);
  const check: Check = { id: report.id, found: new Map(), advance: progressReporter(report, Number(users)) };
  await checkSponsors(tx, check);
  await findCircles(tx, check);
  await checkWallets(tx, { ...check, users: Number(users) });
  await gatherGaps(tx, check);
  const wrong = await correct(tx, check);
  return { users, found: check.found, wrong, digest: await digestCorrections(tx, report.id) };
}

/** Every user is read with their sponsor, by their wallets, and as a referral. */
const passes = 3;
const progressMs = 1_000;

function progressReporter({ database, id, signal }: Report, users: number): Check['advance'] {
  let [done, reportedAt] = [0, 0];
  return async (rows) => {
    signal.throwIfAborted();
    done += rows;
    if (performance.now() - reportedAt < progressMs) return;
    reportedAt = performance.now();
    const progress = Math.min(99, Math.floor((100 * done) / (passes * Math.max(1, users))));
    await database.transaction().execute(async (other) => {
      await updateProgress(other, id, progress);
      await announce(other, { feature: 'referrals', id });
    });
  };
}

/** Counts all findings and stores the first of each kind. */
async function addFindings(tx: Tx, { id, found }: Check, more: readonly Found[]) {
  const numbered = more.map((finding) => {
    const no = (found.get(finding.kind) ?? 0) + 1;
    found.set(finding.kind, no);
    return { ...finding, no };
  });
  await insertFindings(
    tx,
    id,
    numbered.filter(({ no }) => no <= listedAtMost),
  );
}

async function checkSponsors(tx: Tx, check: Check) {
  for (let after: string | null = beforeAll; after !== null; ) {
    const { rows, last, found } = await judgeSponsors(tx, after);
    await addFindings(tx, check, found);
    await check.advance(Number(rows));
    after = last;
  }
}

async function findCircles(tx: Tx, check: Check) {
  for (let after: bigint | null = 0n; after !== null; ) {
    const { last, met } = await climbFromSuspects(tx, after);
    for (const member of met) {
      const circle = await insertRing(tx, member);
      if (circle) await addFindings(tx, check, [circle]);
    }
    await check.advance(0);
    after = last;
  }
  await analyze(tx, 'ring');
}

async function checkWallets(tx: Tx, { users, ...check }: Check & { users: number }) {
  let left = users;
  for (let after: string | null = ''; after !== null; ) {
    const to = await selectWalletEnd(tx, after);
    await addFindings(tx, check, await selectSharedWallets(tx, { after, to }));
    // The number of users in a piece is estimated as half of its addresses, because each user has two.
    const rows = to === null ? left : Math.min(left, 10_000);
    left -= rows;
    await check.advance(rows);
    after = to;
  }
}

async function gatherGaps(tx: Tx, check: Check) {
  for (let after = firstPlace; ; ) {
    const { rows, last } = await insertGaps(tx, after);
    await check.advance(Number(rows));
    if (last === null) break;
    after = last;
  }
  for (let after: string | undefined = beforeAll; after !== undefined; ) {
    after = await insertGapsOfLeaves(tx, after);
    await check.advance(0);
  }
  const pieces = await countDeltaPieces(tx);
  for (let piece = 0; piece < pieces; piece += 1) {
    await insertDeltas(tx, piece);
    await check.advance(0);
  }
  await analyze(tx, 'gap');
}

async function correct(tx: Tx, check: Check) {
  for (let after: typeof firstGap | undefined = firstGap; after; ) {
    after = await carryGaps(tx, after);
    await check.advance(0);
  }
  await carryAroundRings(tx);
  await analyze(tx, 'missed');
  const wrong: Wrong = { users: 0n, referrals: 0n, network: 0n, sol: 0n, usd: 0n };
  for (let after: string | null = beforeAll; after !== null; ) {
    const { last, ...more } = await insertCorrections(tx, check.id, after);
    for (const [figure, users] of Object.entries(more)) wrong[figure as keyof Wrong] += users;
    await check.advance(0);
    after = last;
  }
  return wrong;
}

async function finish(database: Database, id: string, made: Parameters<typeof updateDone>[2]) {
  await database.transaction().execute(async (tx) => {
    const report = await lockReport(tx, id);
    if (report?.state !== 'waiting' && report?.state !== 'running') return;
    await updateDone(tx, id, made);
    await announce(tx, { feature: 'referrals', id });
  });
  for (const outdated of await selectOutdated(database, id)) await deleteLists(database, outdated);
}

async function deleteLists(database: Database, id: string) {
  while (await database.transaction().execute((tx) => deleteSomeOf(tx, id)));
}

/** An error that is not transient would repeat, so the report fails and waits for an administrator. */
function giveUp(database: Database, id: string, error: unknown) {
  return database.transaction().execute(async (tx) => {
    await updateFailed(tx, id, error instanceof Error ? error.message : String(error));
    await announce(tx, { feature: 'referrals', id });
  });
}

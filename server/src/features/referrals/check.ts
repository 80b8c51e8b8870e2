import { type FindingKind, listedAtMost } from 'contract/referrals.ts';
import { type Database, isPassing, type Tx } from '#server/core/db/db.ts';
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
  insertGapsOfTheLast,
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
 * All of a report is read in one transaction that sees one snapshot: whoever joins or stakes meanwhile is in all of its
 * figures or in none. It is long, but each of its statements is short, and it locks nothing. Interrupted, the report is
 * made anew.
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
        // The lock of a process that was cut off outlives it by some seconds.
        if (!at) throw new HeldElsewhere('Another process still holds this report.');
        await deleteLists(database, id);
        return { at, ...(await lookAtEveryone(tx, { database, id, signal })) };
      });
    await finish(database, id, made);
  } catch (error) {
    if (signal.aborted || isPassing(error) || error instanceof HeldElsewhere) throw error;
    await giveUp(database, id, error);
    throw error;
  }
}

type Report = { database: Database; id: string; signal: AbortSignal };
type Look = {
  id: string;
  found: Map<FindingKind, number>;
  /** After each piece: so much more was looked at. */
  looked: (rows: number) => Promise<void>;
};

async function lookAtEveryone(tx: Tx, report: Report) {
  await prepareScratch(tx);
  const users = await countUsers(tx);
  const look: Look = { id: report.id, found: new Map(), looked: telling(report, Number(users)) };
  await lookAtSponsors(tx, look);
  await lookForCircles(tx, look);
  await lookAtWallets(tx, { ...look, users: Number(users) });
  await gatherGaps(tx, look);
  const wrong = await correct(tx, look);
  return { users, found: look.found, wrong, digest: await digestCorrections(tx, report.id) };
}

/** Everyone is looked at beside their sponsor, by their wallets, and as somebody's referral. */
const passes = 3;
const progressMs = 1_000;

function telling({ database, id, signal }: Report, users: number): Look['looked'] {
  let [done, toldAt] = [0, 0];
  return async (rows) => {
    signal.throwIfAborted();
    done += rows;
    if (performance.now() - toldAt < progressMs) return;
    toldAt = performance.now();
    const progress = Math.min(99, Math.floor((100 * done) / (passes * Math.max(1, users))));
    await database.transaction().execute(async (other) => {
      await updateProgress(other, id, progress);
      await announce(other, { feature: 'referrals', id });
    });
  };
}

/** All are counted, and the first of each kind are listed. */
async function keep(tx: Tx, { id, found }: Look, more: readonly Found[]) {
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

async function lookAtSponsors(tx: Tx, look: Look) {
  for (let after: string | null = beforeAll; after !== null; ) {
    const { rows, last, found } = await judgeSponsors(tx, after);
    await keep(tx, look, found);
    await look.looked(Number(rows));
    after = last;
  }
}

async function lookForCircles(tx: Tx, look: Look) {
  for (let after: bigint | null = 0n; after !== null; ) {
    const { last, met } = await climbFromSuspects(tx, after);
    for (const member of met) {
      const circle = await insertRing(tx, member);
      if (circle) await keep(tx, look, [circle]);
    }
    await look.looked(0);
    after = last;
  }
  await analyze(tx, 'ring');
}

async function lookAtWallets(tx: Tx, { users, ...look }: Look & { users: number }) {
  let left = users;
  for (let after: string | null = ''; after !== null; ) {
    const to = await selectWalletEnd(tx, after);
    await keep(tx, look, await selectSharedWallets(tx, { after, to }));
    // How many users a piece of wallets is, nobody counts: half of it, where each has two.
    const rows = to === null ? left : Math.min(left, 10_000);
    left -= rows;
    await look.looked(rows);
    after = to;
  }
}

async function gatherGaps(tx: Tx, look: Look) {
  for (let after = firstPlace; ; ) {
    const { rows, last } = await insertGaps(tx, after);
    await look.looked(Number(rows));
    if (last === null) break;
    after = last;
  }
  for (let after: string | undefined = beforeAll; after !== undefined; ) {
    after = await insertGapsOfTheLast(tx, after);
    await look.looked(0);
  }
  const pieces = await countDeltaPieces(tx);
  for (let piece = 0; piece < pieces; piece += 1) {
    await insertDeltas(tx, piece);
    await look.looked(0);
  }
  await analyze(tx, 'gap');
}

async function correct(tx: Tx, look: Look) {
  for (let after: typeof firstGap | undefined = firstGap; after; ) {
    after = await carryGaps(tx, after);
    await look.looked(0);
  }
  await carryAroundRings(tx);
  await analyze(tx, 'missed');
  const wrong: Wrong = { users: 0n, referrals: 0n, network: 0n, sol: 0n, usd: 0n };
  for (let after: string | null = beforeAll; after !== null; ) {
    const { last, ...more } = await insertCorrections(tx, look.id, after);
    for (const [figure, users] of Object.entries(more)) wrong[figure as keyof Wrong] += users;
    await look.looked(0);
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

/** What fails in the same way each time needs an administrator. */
function giveUp(database: Database, id: string, error: unknown) {
  return database.transaction().execute(async (tx) => {
    await updateFailed(tx, id, error instanceof Error ? error.message : String(error));
    await announce(tx, { feature: 'referrals', id });
  });
}

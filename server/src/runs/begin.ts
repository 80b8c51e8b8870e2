import { type Asset, writeAmount } from 'contract/money.ts';
import { movedBy } from 'contract/runs.ts';
import { limitOf } from '#server/approvals/approvals.ts';
import { recordAudit } from '#server/audit/audit.ts';
import type { Actor } from '#server/auth/sessions.ts';
import type { Tx } from '#server/db/db.ts';
import { announce } from '#server/events/events.ts';
import { lockTreasury, treasuryOf } from '#server/ledger/lines.ts';
import type { AskFor } from '#server/queue/queue.ts';
import { countChunks, selectBarred, selectToFund } from './pay-queries.ts';
import { hashOf } from './hash.ts';
import { beforeAll, everyone, selectDigests } from './plan-queries.ts';
import type { Range } from './plans/plan.ts';
import { type RunRow, selectLive, selectRun, stopPaying, updateRun } from './queries.ts';

export const payErrand = { name: 'runs.pay', unending: true } as const;
export const planErrand = { name: 'runs.plan', unending: true } as const;

/** So many processes can pay one run together. */
const lanesAtMost = 16;
const chunksForALane = 4;

export async function needsSecond(tx: Tx, run: RunRow) {
  return movedBy(run) > (await limitOf(tx, 'run', run.asset));
}

/** What the runs under way still take from the treasury: it is theirs. */
export const owedByRuns = (tx: Tx, asset: Asset) => selectToFund(tx, { asset });

type Starters = { begunBy: string | null; approvedBy: string | null };

/** Pays what was planned, or says why that is not to be paid any more. */
export async function begin(tx: Tx, run: RunRow, { askFor, ...starters }: Starters & { askFor: AskFor }) {
  const isItsPlan = hashOf(run, await selectDigests(tx, run.id)) === run.planHash;
  await lockTreasury(tx, run.asset);
  const all = { range: { after: beforeAll, to: everyone }, toFund: await selectToFund(tx, run) };
  const stale = isItsPlan ? await whyStale(tx, run, all) : 'It was changed after it was planned.';
  if (stale === undefined) {
    await updateRun(tx, run.id, { state: 'running', why: null, ...starters });
    await askForLanes(tx, run.id, askFor);
  } else {
    await updateRun(tx, run.id, { state: 'refused', why: stale });
  }
  await announce(tx, { room: 'runs', id: run.id });
  return stale;
}

export async function askForLanes(tx: Tx, runId: string, askFor: AskFor) {
  const { open } = await countChunks(tx, runId);
  const lanes = Math.min(lanesAtMost, Math.max(1, Math.ceil(open / chunksForALane)));
  for (let lane = 0; lane < lanes; lane += 1) await askFor(tx, payErrand.name, runId);
}

/** A scheduled run under the limit approves itself; above it, people decide. */
export async function beginOnSchedule(tx: Tx, run: RunRow, askFor: AskFor) {
  if (await needsSecond(tx, run)) return;
  const refused = await begin(tx, run, { begunBy: null, approvedBy: null, askFor });
  const details = { kind: run.kind, period: run.period, planHash: run.planHash, ...(refused && { refused }) };
  await recordAudit(tx, { actorId: null, action: 'runs.start', subjectId: run.id, details });
}

/** Why what was planned is not to be paid: what it was made from has changed in a way that matters. */
export async function whyStale(tx: Tx, run: RunRow, { range, toFund }: { range: Range; toFund: bigint }) {
  if (run.reverses !== null) return undefined;
  const barred = await selectBarred(tx, run, range);
  if (barred.length > 0) {
    const names = barred.slice(0, 3).map(({ username }) => username);
    const more = barred.length > 3 ? ' and others' : '';
    const what = barred.some(({ blacklisted }) => blacklisted) ? 'blacklisted' : 'deleted';
    return `Since it was planned, ${names.join(', ')}${more} ${barred.length > 1 ? 'were' : 'was'} ${what}.`;
  }
  if (toFund === 0n) return undefined;
  const held = await treasuryOf(tx, run.asset);
  if (held >= toFund) return undefined;
  return `The treasury has ${writeAmount(held, run.asset)} ${run.asset}, and ${writeAmount(toFund, run.asset)} is to be paid.`;
}

type Newcomer = { actorId: string | null; why: string };

export const forPlanOf = ({ id, username }: Actor): Newcomer => ({
  actorId: id,
  why: `Made way for a plan of ${username}.`,
});

/** What was only looked at makes way: one run of a kind at a time. Whoever begins it meanwhile is waited for, and stays. */
export async function makeWay(tx: Tx, kind: RunRow['kind'], { actorId, why }: Newcomer) {
  const live = await selectLive(tx, kind);
  const locked = live && (await stopPaying(tx, live.id));
  if (locked?.state !== 'planned') return;
  const { id, period, state } = locked;
  await updateRun(tx, id, { state: 'cancelled', why });
  await announce(tx, { room: 'runs', id });
  const details = { kind, period, why, before: { state }, after: { state: 'cancelled' } };
  await recordAudit(tx, { actorId, action: 'runs.cancel', subjectId: id, details });
}

/** After a change, as everyone sees it. */
export async function changed(tx: Tx, id: string) {
  await announce(tx, { room: 'runs', id });
  const run = await selectRun(tx, id);
  if (!run) throw new Error(`The run ${id} is gone from the transaction that changed it.`);
  return run;
}

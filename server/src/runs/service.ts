import { writeAmount } from 'contract/money.ts';
import { type RunKind, runTitle } from 'contract/run-kinds.ts';
import { rowsByDefault } from 'contract/paging.ts';
import { mayStep, refuseReversal, type ShownState, type Step } from 'contract/run-states.ts';
import type { Run } from 'contract/runs.ts';
import { askForSecond, type Effect, type Payload, withdrawRequest } from '#server/approvals/approvals.ts';
import { recordAudit } from '#server/audit/audit.ts';
import type { Actor } from '#server/auth/sessions.ts';
import { brokenConstraint, type Db, type Tx } from '#server/db/db.ts';
import { Refusal } from '#server/http/refusal.ts';
import type { AskFor } from '#server/queue/queue.ts';
import { askForLanes, begin, changed, forPlanOf, makeWay, needsSecond, planErrand } from './begin.ts';
import { selectPayments } from './outcome-queries.ts';
import { periodToPay } from './periods.ts';
import { payments } from './plans/kinds.ts';
import {
  countAttempts,
  insertRun,
  lockRun,
  type RunRow,
  selectActivePayment,
  selectPage,
  selectSettings,
  stopPaying,
  updateRun,
} from './queries.ts';

type Wish = {
  kind?: RunKind | undefined;
  state?: ShownState | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

export async function listRuns(db: Db, { limit, ...asked }: Wish) {
  const { rows, ...page } = await selectPage(db, { ...asked, limit: limit ?? rowsByDefault });
  const runs = rows.map((row) => ({
    ...shown(row),
    paidLines: Number(row.paidLines),
    paid: writeAmount(row.paid, row.asset),
    net: writeAmount(row.net, row.asset),
  }));
  return { runs, ...page };
}

type Acting = { actor: Actor; askFor: AskFor };
type Wanted = {
  kind: RunKind;
  plannedBy: string | null;
  askFor: AskFor;
  /** Those by which its period was found: somebody may have saved others since. */
  saved: { settings: unknown; version: number };
  period: string;
  day: string;
};

/** By hand: what waits to be begun is planned anew, for what it was made from may have changed. */
export async function planByHand(tx: Tx, { actor, askFor, kind, now }: Acting & { kind: RunKind; now: Date }) {
  await makeWay(tx, kind, forPlanOf(actor));
  const saved = await selectSettings(tx, kind);
  const period = await periodToPay(tx, kind, { settings: saved.settings, now });
  const run = await createRun(tx, { kind, plannedBy: actor.id, askFor, saved, ...period });
  const details = { kind, period: run.period, settingsVersion: run.settingsVersion };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.plan', subjectId: run.id, details });
  return { run: shown(run) };
}

/** What was paid in part is ended by the settings it was begun with; what nobody has, by those that are asked for. */
export async function createRun(tx: Tx, { kind, plannedBy, askFor, saved, period, day }: Wanted) {
  // Each stake is paid for itself: a day that was begun with wrong settings is ended with the right ones.
  const activePayment = kind === 'stake-payout' ? undefined : await selectActivePayment(tx, { kind, period });
  const { settings, version } = activePayment ?? saved;
  const part = kind === 'referral-check' ? 0 : await countAttempts(tx, { kind, day });
  const { asset } = payments[kind];
  return insertPlanning(tx, askFor, { kind, period, day, part, asset, settings, settingsVersion: version, plannedBy });
}

async function insertPlanning(tx: Tx, askFor: AskFor, run: Parameters<typeof insertRun>[1]) {
  const id = await insertRun(tx, run).catch((error: unknown) => {
    throw brokenConstraint(error) === 'run_of_a_kind_at_a_time' ? new Refusal('RunUnderWay') : error;
  });
  await askFor(tx, planErrand.name, id);
  return changed(tx, id);
}

async function lockedRun(tx: Tx, id: string, step: Step) {
  const run = await stopPaying(tx, id);
  if (!run) throw new Refusal('RunNotFound');
  if (!mayStep(step, run.state)) throw new Refusal(run.endedAt ? 'RunOver' : 'RunChanged');
  return run;
}

type Start = Acting & { id: string; planHash: string };

export async function startRun(tx: Tx, { actor, askFor, id, planHash }: Start) {
  const run = await lockedRun(tx, id, 'start');
  if (run.planHash !== planHash) throw new Refusal('RunChanged');
  const second = await needsSecond(tx, run);
  if (second) {
    await askForSecond(tx, { kind: 'run', subjectId: id, payload: payloadOf(run), askedBy: actor.id });
  } else {
    await begin(tx, run, { begunBy: actor.id, approvedBy: null, askFor });
  }
  const after = await changed(tx, id);
  const details = { kind: run.kind, period: run.period, planHash, ...(after.why && { refused: after.why }) };
  await recordAudit(tx, { actorId: actor.id, action: second ? 'runs.ask' : 'runs.start', subjectId: id, details });
  return { run: shown(after) };
}

/** What the second person does by approving: exactly the plan of that hash is paid. */
export const runEffect = (askFor: AskFor): Effect => ({
  async payloadOf(tx, id) {
    const run = await lockRun(tx, id);
    return run?.state === 'planned' || run?.state === 'waiting' ? payloadOf(run) : undefined;
  },
  async apply(tx, { subjectId, askedBy, decidedBy }) {
    const run = await lockRun(tx, subjectId);
    if (!run) throw new Refusal('ApprovalVoid');
    await begin(tx, run, { begunBy: askedBy, approvedBy: decidedBy, askFor });
  },
});

function payloadOf(run: RunRow): Payload {
  const { asset, lines, skipped } = run;
  const said = (units: bigint) => `${writeAmount(units, asset)} ${asset}`;
  const isReversal = run.reverses !== null;
  const amount = run.pays + run.releases;
  return {
    person: null,
    facts: [
      { name: 'Run', value: `${runTitle(run)} ${run.period}` },
      { name: 'Amount', value: said(isReversal ? -amount : amount) },
      ...(run.setsAside > 0n ? [{ name: 'Set aside', value: said(run.setsAside) }] : []),
      ...(run.returned > 0n
        ? [{ name: isReversal ? 'Stakes locked again' : 'Stakes returned', value: said(run.returned) }]
        : []),
      ...(isReversal ? [{ name: 'Reason', value: run.reason ?? '' }] : []),
      { name: 'Payments', value: `${lines - skipped} to ${isReversal ? 'reverse' : 'pay'}, ${skipped} skipped` },
      { name: 'Settings', value: `Version ${run.settingsVersion}` },
      { name: 'Plan', value: run.planHash ?? '' },
    ],
  };
}

type Steer = Acting & { id: string; step: 'pause' | 'resume' | 'retry' | 'cancel' };

export async function steerRun(tx: Tx, { actor, askFor, id, step }: Steer) {
  const run = await lockedRun(tx, id, step);
  if (step === 'pause') await updateRun(tx, id, { state: 'paused', why: `Paused by ${actor.username}.` });
  else if (step === 'cancel') await cancel(tx, run, actor);
  else await goOn(tx, run, askFor);
  const after = await changed(tx, id);
  await recordAudit(tx, {
    actorId: actor.id,
    action: `runs.${step}`,
    subjectId: id,
    details: { kind: run.kind, period: run.period, before: { state: run.state }, after: { state: after.state } },
  });
  return { run: shown(after) };
}

async function goOn(tx: Tx, { id, planHash }: RunRow, askFor: AskFor) {
  if (planHash === null) {
    await updateRun(tx, id, { state: 'planning', why: null });
    await askFor(tx, planErrand.name, id);
    return;
  }
  await updateRun(tx, id, { state: 'running', why: null });
  await askForLanes(tx, id, askFor);
}

async function cancel(tx: Tx, { id, state }: RunRow, { username }: Actor) {
  if (state === 'waiting') await withdrawRequest(tx, { kind: 'run', subjectId: id });
  await updateRun(tx, id, { state: 'cancelled', why: `Cancelled by ${username}.` });
}

type Reverse = Acting & { id: string; reason: string; person?: string | undefined };

/** How a reversal is refused where it is asked for one user alone. */
const refusedForUser = {
  ReversalIsFinal: 'ReversalIsFinal',
  NothingToReverse: 'UserNotPaid',
  AlreadyReversed: 'UserAlreadyReversed',
} as const;

/** A run of its own, through the same steps. It reverses what was paid, line by line, and not what was planned. */
export async function planReversal(tx: Tx, { actor, askFor, id, reason, person }: Reverse) {
  const run = await lockedRun(tx, id, 'reverse');
  // First, because it waits for whoever plans the same job: what they reversed is then seen.
  await makeWay(tx, run.kind, forPlanOf(actor));
  const refused = refuseReversal({ reverses: run.reverses, ...(await selectPayments(tx, { id, person })) });
  if (refused) throw new Refusal(person === undefined ? refused : refusedForUser[refused]);
  const { kind, period, day, part, asset, settingsVersion } = run;
  const settings = { person: person ?? null };
  const planned = await insertPlanning(tx, askFor, {
    kind,
    period,
    day,
    part,
    asset,
    settings,
    settingsVersion,
    plannedBy: actor.id,
    reverses: id,
    reason,
  });
  const details = { kind, period, reverses: id, reason, ...(person && { person }) };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.reverse', subjectId: planned.id, details });
  return { run: shown(planned) };
}

export function shown({ lines, skipped, budget, pays, setsAside, keeps, releases, returned, ...row }: RunRow): Run {
  const { asset } = row;
  return {
    id: row.id,
    kind: row.kind,
    period: row.period,
    day: row.day,
    asset,
    state: row.state,
    reversed: row.reversed,
    why: row.why,
    reverses: row.reverses,
    reason: row.reason,
    settingsVersion: row.settingsVersion,
    planHash: row.planHash,
    lines: Number(lines),
    skipped: Number(skipped),
    budget: writeAmount(budget, asset),
    pays: writeAmount(pays, asset),
    setsAside: writeAmount(setsAside, asset),
    keeps: writeAmount(keeps, asset),
    releases: writeAmount(releases, asset),
    returned: writeAmount(returned, asset),
    plannedBy: row.plannedBy,
    createdAt: row.createdAt,
    plannedAt: row.plannedAt,
    begunBy: row.begunBy,
    approvedBy: row.approvedBy,
    begunAt: row.begunAt,
    endedAt: row.endedAt,
  };
}

import { isDeepStrictEqual } from 'node:util';
import { jobKinds } from 'contract/job-kinds.ts';
import type { JobName } from 'contract/run-kinds.ts';
import { z } from 'zod';
import { requestApproval, type Effect, waitingFor, withdrawRequest } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Db, selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  insertVersion,
  lockChange,
  type SavedVersion,
  selectChangeId,
  selectLatest,
  selectNextUnpaidDay,
  selectVersions,
  upsertChange,
} from './queries.ts';

export async function readJob(db: Db, job: JobName) {
  const { settings, ...version } = await selectLatest(db, job);
  const subjectId = await selectChangeId(db, job);
  const waiting = subjectId === undefined ? null : await waitingFor(db, { kind: 'settings', subjectId });
  return { settings: jobKinds[job].settings.parse(settings), ...version, waiting };
}

type Save = { job: JobName; actor: Actor; settings: unknown; version: number; effectiveFrom?: string | undefined };

/**
 * Saves settings, or requests approval if they change a reward, switch a schedule on, or take effect on a chosen day,
 * which may be one that was paid already. Refuses if someone else saved in the meantime.
 */
export async function saveJob(tx: Tx, { job, actor, effectiveFrom, ...save }: Save) {
  const waitingChange = await lockChange(tx, { job });
  const latest = await selectLatest(tx, job);
  if (latest.version !== save.version) throw new Refusal('JobConflict');

  const { version } = latest;
  const after = fields(z.encode(jobKinds[job].settings, save.settings));
  const change = { job, before: fields(latest.settings), after };
  if (changedFields(change).length === 0 && effectiveFrom === undefined) return readJob(tx, job);
  if (changesReward(change) || effectiveFrom !== undefined) {
    const replaced = await selectReplaced(tx, job, effectiveFrom ?? null);
    await requestChange(tx, { job, ...replaced, after, actor, version, effectiveFrom: effectiveFrom ?? null });
  } else {
    // The waiting request was made from settings that are no longer in force.
    if (waitingChange) await withdrawRequest(tx, { kind: 'settings', subjectId: waitingChange.id });
    await storeForAll(tx, { change, version, actor });
    const details = auditDetails({ ...change, version });
    await recordAudit(tx, { actorId: actor.id, action: 'jobs.save', subjectId: job, details });
  }
  return readJob(tx, job);
}

/**
 * Returns the settings that a new version replaces: those that apply when it takes effect, and those that would have
 * applied from later days on.
 */
async function selectReplaced(tx: Tx, job: JobName, day: string | null) {
  const [versions, start] = [await selectVersions(tx, job), await startOf(tx, job, day)];
  const later = startsAfter(versions, start).map((at) => ({
    day: at.toISOString().slice(0, 10),
    before: inEffectAt(versions, at),
  }));
  return { before: inEffectAt(versions, start), later };
}

/** Returns when later versions take effect, each time once and in order. */
function startsAfter(versions: readonly SavedVersion[], start: Date) {
  const starts = versions.map(({ effectiveFrom }) => Number(effectiveFrom)).filter((at) => at > Number(start));
  return [...new Set(starts)].toSorted((one, other) => one - other).map((at) => new Date(at));
}

function inEffectAt(versions: readonly SavedVersion[], at: Date) {
  const applies = versions.findLast(({ effectiveFrom }) => effectiveFrom <= at) ?? versions[0];
  return fields(applies?.settings);
}

type Saved = { change: Change; version: number; actor: Actor };

/**
 * Stores a change that needs no approval. It applies from now on and also to each version that takes effect later, which
 * must not start before its day only because something else was changed.
 */
async function storeForAll(tx: Tx, { change, version, actor }: Saved) {
  const { job } = change;
  const versions = await selectVersions(tx, job);
  const now = await startOf(tx, job, null);
  for (const [index, effectiveFrom] of [now, ...startsAfter(versions, now)].entries()) {
    const settings = { ...inEffectAt(versions, effectiveFrom), ...topLevelChanges(change) };
    const next = { job, version: version + 1 + index, settings, effectiveFrom, savedBy: actor.id, approvedBy: null };
    if (!(await store(tx, next))) throw new Refusal('JobConflict');
  }
}

/** Returns the settings that a change sets, without those that it leaves as they are. */
const topLevelChanges = ({ before, after }: Change) =>
  Object.fromEntries(Object.entries(after).filter(([field, value]) => !isDeepStrictEqual(value, before[field])));

type Later = { day: string; before: Fields }[];
type RequestedChange = Change & { later: Later; actor: Actor; version: number; effectiveFrom: string | null };

async function requestChange(tx: Tx, { actor, version, effectiveFrom, later, ...change }: RequestedChange) {
  const { job, after } = change;
  const subjectId = await upsertChange(tx, { job, version, settings: after, effectiveFrom });
  const payload = payloadOf(change, { version, effectiveFrom, later });
  await requestApproval(tx, { kind: 'settings', subjectId, payload, requestedBy: actor.id }).catch((error: unknown) => {
    throw brokenConstraint(error) === 'approval_waiting' ? new Refusal('ChangeWaits') : error;
  });
  await announce(tx, { feature: 'jobs', id: job });
  await recordAudit(tx, {
    actorId: actor.id,
    action: 'jobs.ask',
    subjectId: job,
    details: { ...auditDetails({ ...change, version }), ...(effectiveFrom && { effectiveFrom }) },
  });
}

/** The effect of an approval: exactly the requested settings become the next version. */
export const settingsEffect: Effect = {
  async payloadOf(tx, id) {
    const change = await lockChange(tx, { id });
    if (!change) return undefined;
    const { version } = await selectLatest(tx, change.job);
    const { job, effectiveFrom } = change;
    const { before, later } = await selectReplaced(tx, job, effectiveFrom);
    return payloadOf({ job, before, after: fields(change.settings) }, { version, effectiveFrom, later });
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const change = await lockChange(tx, { id: subjectId });
    if (!change) throw new Refusal('ApprovalVoid');
    const { job, version } = change;
    const effectiveFrom = await startOf(tx, job, change.effectiveFrom);
    const by = { savedBy: requestedBy, approvedBy: decidedBy };
    const next = { job, version: version + 1, settings: fields(change.settings), effectiveFrom, ...by };
    if (!(await store(tx, next))) throw new Refusal('ApprovalVoid');
  },
};

/** Inserts a version and announces it. Returns false if someone else inserted it first. */
async function store(tx: Tx, version: Parameters<typeof insertVersion>[1]) {
  const stored = await insertVersion(tx, version);
  if (stored) await announce(tx, { feature: 'jobs', id: version.job });
  return stored !== undefined;
}

/**
 * Returns when a version takes effect: on the chosen day, or as soon as possible. A job that pays days uses one version
 * for the whole of a day. The settings of other jobs apply at once.
 */
function startOf(tx: Tx, job: JobName, day: string | null) {
  if (day !== null) return new Date(day);
  return jobKinds[job].paysDays ? selectNextUnpaidDay(tx, job) : selectNow(tx);
}

type Fields = Record<string, unknown>;
type Change = { job: JobName; before: Fields; after: Fields };

const fields = (settings: unknown) => z.record(z.string(), z.unknown()).parse(settings);

/** Switching a schedule on lets money move as much as a higher reward does. Switching it off stops it at once. */
const changesReward = (change: Change) =>
  changedFields(change).some(
    ({ field, value }) =>
      jobKinds[change.job].rewardSettings.includes(field) || (field === 'enabled' && value === 'true'),
  );

/** Returns the fields that differ, sorted because the database does not keep their order. Nested fields get a dot. */
function changedFields({ before, after }: Pick<Change, 'before' | 'after'>) {
  const [old, wanted] = [flat(before), flat(after)];
  return Object.keys(wanted)
    .filter((field) => old[field] !== wanted[field])
    .toSorted()
    .map((field) => ({ field, before: String(old[field]), value: String(wanted[field]) }));
}

const flat = (settings: Fields): Fields =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one])
        : [[name, value]],
    ),
  );

const auditDetails = ({ before, after, version }: Change & { version: number }) => ({
  before: { version, ...before },
  after: { version: version + 1, ...after },
});

type Stored = { version: number; effectiveFrom: string | null; later: Later };

/**
 * The version and the differences together determine all settings that would apply. The highest version wins on every
 * day, so the differences on later days that had settings of their own are stated too.
 */
function payloadOf({ job, before, after }: Change, { version, effectiveFrom, later }: Stored): Payload {
  return {
    userUuid: null,
    facts: [
      { key: 'job', value: job },
      ...changedFields({ before, after }).map(({ field, ...change }) => ({
        key: `setting.${field}` as const,
        ...change,
      })),
      ...(effectiveFrom === null ? [] : [{ key: 'effectiveFrom' as const, value: effectiveFrom }]),
      ...later.flatMap(({ day, before: replaced }) =>
        changedFields({ before: replaced, after }).map(({ field, ...change }) => ({
          key: `later.${day}.${field}` as const,
          ...change,
        })),
      ),
      { key: 'version', before: String(version), value: String(version + 1) },
    ],
  };
}

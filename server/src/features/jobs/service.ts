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
  selectChangeId,
  selectLatest,
  selectNextUnpaidDay,
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
 * Saves settings, or requests approval if they change a reward or take effect on a chosen day, which may be one that was
 * paid already. Refuses if someone else saved in the meantime.
 */
export async function saveJob(tx: Tx, { job, actor, effectiveFrom, ...save }: Save) {
  const waitingChange = await lockChange(tx, { job });
  const before = await selectLatest(tx, job);
  if (before.version !== save.version) throw new Refusal('JobConflict');

  const change = {
    job,
    before: fields(before.settings),
    after: fields(z.encode(jobKinds[job].settings, save.settings)),
  };
  if (changedFields(change).length === 0 && effectiveFrom === undefined) return readJob(tx, job);
  if (changesReward(change) || effectiveFrom !== undefined) {
    await requestChange(tx, { ...change, actor, version: before.version, effectiveFrom: effectiveFrom ?? null });
  } else {
    // The waiting request was made from settings that are no longer in force.
    if (waitingChange) await withdrawRequest(tx, { kind: 'settings', subjectId: waitingChange.id });
    const next = { ...change, version: before.version + 1, effectiveFrom: null, savedBy: actor.id, approvedBy: null };
    if (!(await store(tx, next))) throw new Refusal('JobConflict');
    const details = auditDetails({ ...change, version: before.version });
    await recordAudit(tx, { actorId: actor.id, action: 'jobs.save', subjectId: job, details });
  }
  return readJob(tx, job);
}

type RequestedChange = Change & { actor: Actor; version: number; effectiveFrom: string | null };

async function requestChange(tx: Tx, { actor, version, effectiveFrom, ...change }: RequestedChange) {
  const { job, after } = change;
  const subjectId = await upsertChange(tx, { job, version, settings: after, effectiveFrom });
  const payload = payloadOf(change, { version, effectiveFrom });
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
    const { settings, version } = await selectLatest(tx, change.job);
    const { job, effectiveFrom } = change;
    return payloadOf({ job, before: fields(settings), after: fields(change.settings) }, { version, effectiveFrom });
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const change = await lockChange(tx, { id: subjectId });
    if (!change) throw new Refusal('ApprovalVoid');
    const { job, version, settings, effectiveFrom } = change;
    const by = { savedBy: requestedBy, approvedBy: decidedBy };
    const next = { job, version: version + 1, after: fields(settings), effectiveFrom, ...by };
    if (!(await store(tx, next))) throw new Refusal('ApprovalVoid');
  },
};

type Version = {
  job: JobName;
  version: number;
  after: Fields;
  effectiveFrom: string | null;
  savedBy: string;
  approvedBy: string | null;
};

/** Inserts a version and announces it. Returns false if someone else inserted it first. */
async function store(tx: Tx, { job, version, after: settings, effectiveFrom: day, savedBy, approvedBy }: Version) {
  const effectiveFrom = day === null ? await nextStart(tx, job) : new Date(day);
  const stored = await insertVersion(tx, { job, version, settings, effectiveFrom, savedBy, approvedBy });
  if (stored) await announce(tx, { feature: 'jobs', id: job });
  return stored !== undefined;
}

/** A job that pays days uses one version for the whole of a day. The settings of other jobs apply at once. */
const nextStart = (tx: Tx, job: JobName) => (jobKinds[job].paysDays ? selectNextUnpaidDay(tx, job) : selectNow(tx));

type Fields = Record<string, unknown>;
type Change = { job: JobName; before: Fields; after: Fields };

const fields = (settings: unknown) => z.record(z.string(), z.unknown()).parse(settings);

const changesReward = (change: Change) =>
  changedFields(change).some(({ field }) => jobKinds[change.job].rewardSettings.includes(field));

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

type Stored = { version: number; effectiveFrom: string | null };

/** The version and the differences together determine all settings that would apply. */
function payloadOf({ job, before, after }: Change, { version, effectiveFrom }: Stored): Payload {
  return {
    userUuid: null,
    facts: [
      { key: 'job', value: job },
      ...changedFields({ before, after }).map(({ field, ...change }) => ({
        key: `setting.${field}` as const,
        ...change,
      })),
      ...(effectiveFrom === null ? [] : [{ key: 'effectiveFrom' as const, value: effectiveFrom }]),
      { key: 'version', before: String(version), value: String(version + 1) },
    ],
  };
}

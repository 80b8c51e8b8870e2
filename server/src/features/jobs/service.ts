import { jobKinds } from 'contract/job-kinds.ts';
import type { JobName } from 'contract/run-kinds.ts';
import { z } from 'zod';
import { requestApproval, type Effect, waitingFor, withdrawRequest } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Db, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { insertVersion, lockChange, selectLatest, selectChangeId, upsertChange } from './queries.ts';

export async function readJob(db: Db, job: JobName) {
  const { settings, ...version } = await selectLatest(db, job);
  const subjectId = await selectChangeId(db, job);
  const waiting = subjectId === undefined ? null : await waitingFor(db, { kind: 'settings', subjectId });
  return { settings: jobKinds[job].settings.parse(settings), ...version, waiting };
}

type Save = { job: JobName; actor: Actor; settings: unknown; version: number };

/** Saves settings, or requests approval if they change a reward. Refuses if someone else saved in the meantime. */
export async function saveJob(tx: Tx, { job, actor, ...save }: Save) {
  const waitingChange = await lockChange(tx, { job });
  const before = await selectLatest(tx, job);
  if (before.version !== save.version) throw new Refusal('JobConflict');

  const change = {
    job,
    before: fields(before.settings),
    after: fields(z.encode(jobKinds[job].settings, save.settings)),
  };
  if (changedFields(change).length === 0) return readJob(tx, job);
  if (changesReward(change)) await requestChange(tx, { ...change, actor, version: before.version });
  else {
    // The waiting request was made from settings that are no longer in force.
    if (waitingChange) await withdrawRequest(tx, { kind: 'settings', subjectId: waitingChange.id });
    const next = { ...change, version: before.version + 1, savedBy: actor.id, approvedBy: null };
    if (!(await store(tx, next))) throw new Refusal('JobConflict');
    const details = auditDetails({ ...change, version: before.version });
    await recordAudit(tx, { actorId: actor.id, action: 'jobs.save', subjectId: job, details });
  }
  return readJob(tx, job);
}

type RequestedChange = Change & { actor: Actor; version: number };

async function requestChange(tx: Tx, { actor, version, ...change }: RequestedChange) {
  const { job, after } = change;
  const subjectId = await upsertChange(tx, { job, version, settings: after });
  const payload = payloadOf(change, version);
  await requestApproval(tx, { kind: 'settings', subjectId, payload, requestedBy: actor.id }).catch((error: unknown) => {
    throw brokenConstraint(error) === 'approval_waiting' ? new Refusal('ChangeWaits') : error;
  });
  await announce(tx, { feature: 'jobs', id: job });
  await recordAudit(tx, {
    actorId: actor.id,
    action: 'jobs.ask',
    subjectId: job,
    details: auditDetails({ ...change, version }),
  });
}

/** The effect of an approval: exactly the requested settings become the next version. */
export const settingsEffect: Effect = {
  async payloadOf(tx, id) {
    const change = await lockChange(tx, { id });
    if (!change) return undefined;
    const { settings, version } = await selectLatest(tx, change.job);
    return payloadOf({ job: change.job, before: fields(settings), after: fields(change.settings) }, version);
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const change = await lockChange(tx, { id: subjectId });
    if (!change) throw new Refusal('ApprovalVoid');
    const { job, version, settings } = change;
    const next = { job, version: version + 1, after: fields(settings), savedBy: requestedBy, approvedBy: decidedBy };
    if (!(await store(tx, next))) throw new Refusal('ApprovalVoid');
  },
};

type Version = { job: JobName; version: number; after: Fields; savedBy: string; approvedBy: string | null };

/** Inserts a version and announces it. Returns false if someone else inserted it first. */
async function store(tx: Tx, { job, version, after, savedBy, approvedBy }: Version) {
  const stored = await insertVersion(tx, { job, version, settings: after, savedBy, approvedBy });
  if (stored) await announce(tx, { feature: 'jobs', id: job });
  return stored !== undefined;
}

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

/** The version and the differences together determine all settings that would be in force. */
function payloadOf({ job, before, after }: Change, version: number): Payload {
  return {
    userUuid: null,
    facts: [
      { key: 'job', value: job },
      ...changedFields({ before, after }).map(({ field, ...change }) => ({
        key: `setting.${field}` as const,
        ...change,
      })),
      { key: 'version', before: String(version), value: String(version + 1) },
    ],
  };
}

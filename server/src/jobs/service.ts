import { GmpDistribution, type JobName, nextRuns, payoutRecurrence, StakePayout } from 'contract/jobs.ts';
import { z } from 'zod';
import { recordAudit } from '#server/audit/audit.ts';
import type { Actor } from '#server/auth/sessions.ts';
import type { Db, Tx } from '#server/db/db.ts';
import { announce } from '#server/events/events.ts';
import { Refusal } from '#server/http/refusal.ts';
import { insertVersion, selectLatest } from './queries.ts';

/** A job and how its settings travel; they are stored in that form. */
export type Kind<S extends z.ZodType> = { job: JobName; schema: S };

export async function readJob<S extends z.ZodType>(db: Db, { job, schema }: Kind<S>) {
  const { settings, ...version } = await selectLatest(db, job);
  return { settings: schema.parse(settings), ...version };
}

type Save<S extends z.ZodType> = Kind<S> & { actor: Actor; settings: z.output<S>; version: number };

export async function saveJob<S extends z.ZodType<unknown, object>>(tx: Tx, save: Save<S>) {
  const { job, schema, actor, settings } = save;
  const before = await selectLatest(tx, job);
  if (before.version !== save.version) throw new Refusal('JobChangedMeanwhile');

  const after = z.encode(schema, settings);
  const version = before.version + 1;
  const stored = await insertVersion(tx, { job, version, settings: after, savedBy: actor.id });
  if (!stored) throw new Refusal('JobChangedMeanwhile');
  await announce(tx, { room: 'jobs', id: job });
  const details = { before: { version: before.version, ...read(before.settings) }, after: { version, ...after } };
  await recordAudit(tx, { actorId: actor.id, action: 'jobs.save', subjectId: job, details });
  return { settings, version, savedBy: actor.username, savedAt: stored.savedAt };
}

const read = (settings: unknown) => z.record(z.string(), z.unknown()).parse(settings);

/** Only what has a time of its own is on the schedule; the other two begin when somebody says so. */
export async function readSchedule(db: Db) {
  const payout = await readJob(db, { job: 'stake-payout', schema: StakePayout });
  const distribution = await readJob(db, { job: 'gmp-distro', schema: GmpDistribution });
  const now = new Date();
  const next = (recurrence: typeof payoutRecurrence) => nextRuns(recurrence, now, 1)[0] ?? null;
  const due = (job: JobName, enabled: boolean, recurrence: typeof payoutRecurrence) => ({
    job,
    enabled,
    nextRun: enabled ? next(recurrence) : null,
  });
  const begunByHand = (job: JobName) => ({ job, enabled: false, nextRun: null });
  return {
    schedule: [
      due('stake-payout', payout.settings.enabled, payoutRecurrence),
      due('gmp-distro', distribution.settings.enabled, distribution.settings),
      begunByHand('referral-check'),
      begunByHand('rank-bonus'),
    ],
  };
}

import { sql } from 'kysely';
import type { JobName, RunKind } from 'contract/run-kinds.ts';
import type { Reason } from 'contract/runs-reasons.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { startOnSchedule } from '#server/features/runs/paying/start.ts';
import { triggerDueRuns } from '#server/features/runs/schedule/due.ts';
import { payRuns } from '#server/features/runs/paying/pay.ts';
import { planRun } from '#server/features/runs/planning/plan.ts';
import { kinds } from '#server/features/runs/kinds/kinds.ts';
import { lockRun, selectRun, selectSettings } from '#server/features/runs/store/run-queries.ts';
import { endStakes } from '#server/features/staking/ends.ts';
import type { TestDatabase } from './database.ts';
import { eventually } from './stream.ts';
import { createRun } from '#server/features/runs/planning/create.ts';
import { planReversal } from '#server/features/runs/planning/reverse.ts';
import { startRun, steerRun } from '#server/features/runs/paying/actions.ts';

const enqueue = async () => undefined;

const anyAdmin = async (tx: Tx) =>
  (await tx.selectFrom('admin').select(['id', 'username']).limit(1).executeTakeFirstOrThrow()) as Actor;

/** Sets the amount up to which a run starts without a second approver: on schedule, or started by an administrator. */
export const setRunLimit = (owner: Database, units: bigint) =>
  sql`insert into approval_limit (kind, asset, version, limit_units)
    select kind, asset, max(version) + 1, ${units} from approval_limit
    where kind in ('schedule', 'alone') group by kind, asset`.execute(owner);

/** Sets what a run collects at most from a user who owes something. */
export const setCollection = (owner: Database, units: bigint) =>
  sql`insert into approval_limit (kind, asset, version, limit_units)
    select kind, asset, max(version) + 1, ${units} from approval_limit
    where kind = 'collection' group by kind, asset`.execute(owner);

const aReason: Reason = { code: 'cancelled', params: { by: 'a test' } };

/** The reason of a run whose state a test sets in SQL. */
export const testReason = JSON.stringify(aReason);

/** The actions of an administrator on a run. */
export const steeringOf = ({ database }: TestDatabase) => ({
  start: (id: string, planHash: string | null) =>
    database.transaction().execute(async (tx) => {
      const { run } = await startRun(tx, { actor: await anyAdmin(tx), id, planHash: planHash ?? '' });
      return run;
    }),
  steer: (id: string, step: 'pause' | 'resume' | 'retry' | 'cancel') =>
    database.transaction().execute(async (tx) => steerRun(tx, { actor: await anyAdmin(tx), enqueue, id, step })),
});

type SavedAt = { savedAt?: Date; effectiveFrom?: string };

const startAsSchedule = (worker: Database, id: string) =>
  worker.transaction().execute(async (tx) => {
    const run = await lockRun(tx, id);
    if (!run) throw new Error(`There is no run ${id}.`);
    await startOnSchedule(tx, run);
  });

/** The run engine without its queue: the test triggers each step. Smaller chunks suit a few hundred users. */
export function runsOf({ worker, owner }: TestDatabase, chunks: { linesInChunk?: number } = {}) {
  const deps = { database: worker, endStakes, ...chunks };
  const never = new AbortController().signal;

  const read = async (id: string) => {
    const run = await selectRun(worker, id);
    if (!run) throw new Error(`There is no run ${id}.`);
    return run;
  };
  const plan = async (id: string) => {
    await planRun(deps, id, never);
    return read(id);
  };
  /** Pays all running runs, as one worker does, and returns the given one. */
  const pay = async (id: string) => {
    await payRuns(deps, never);
    return read(id);
  };
  return {
    read,
    plan,
    pay,
    /** Does what a worker does at a given time: triggers what is due, plans and pays. */
    tick: async (now: Date) => {
      await triggerDueRuns(worker, { enqueue, now });
      const planning = await owner.selectFrom('run').select('id').where('state', '=', 'planning').execute();
      for (const { id } of planning) await plan(id);
      await payRuns(deps, never);
    },
    create: (kind: RunKind, now: Date) =>
      worker.transaction().execute(async (tx) => {
        const saved = await selectSettings(tx, kind, now);
        const period = await kinds[kind].periodToPay(tx, { settings: saved.settings, now });
        // A run without `plannedBy` would start automatically.
        const { id: plannedBy } = await tx.selectFrom('admin').select('id').limit(1).executeTakeFirstOrThrow();
        return createRun(tx, { kind, plannedBy, enqueue, saved, ...period });
      }),
    /** Starts the run as the schedule does. Returns why it was refused. */
    start: async (id: string) => {
      await startAsSchedule(worker, id);
      return (await read(id)).why ?? undefined;
    },
    /** Pays as one worker does, and stops it as soon as `enough` returns true. It finishes the chunk in hand. */
    payUntilStopped: async (enough: () => Promise<boolean>) => {
      const stopping = new AbortController();
      const paying = payRuns(deps, stopping.signal);
      await eventually(enough, 20_000);
      stopping.abort();
      await paying;
    },
    /** Plans the reversal of the run. */
    reverse: async (id: string, user?: string) => {
      const reversal = await worker.transaction().execute(async (tx) => {
        const params = { actor: await anyAdmin(tx), enqueue, id, reason: 'A mistake', user };
        return (await planReversal(tx, params)).run;
      });
      return plan(reversal.id);
    },
    /** The totals of all users. */
    totals: () => owner.selectFrom('userTotal').selectAll().orderBy('userId').execute(),
    linesOf: (id: string) =>
      owner.selectFrom('runLine').selectAll().where('runId', '=', id).orderBy('userId').orderBy('causeId').execute(),
    /** Saves settings, which apply to all days unless `effectiveFrom` says otherwise. */
    save: (job: JobName, settings: object, { savedAt = new Date(), effectiveFrom = '1970-01-01' }: SavedAt = {}) =>
      sql`insert into job_settings (job, version, settings, saved_at, effective_from)
        select ${job}, max(version) + 1, ${JSON.stringify(settings)}::jsonb, ${savedAt}, ${`${effectiveFrom}T00:00Z`}
        from job_settings where job = ${job}`.execute(owner),
  };
}

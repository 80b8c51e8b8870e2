import { stalledAfterMinutes, type Stall, type StalledRun } from 'contract/runs-activity.ts';
import type { Reason } from 'contract/runs-reasons.ts';
import { sql } from 'kysely';
import { runQuery, type Db } from '#server/core/db/db.ts';
import { countWorkers } from '#server/core/queue/worker-count.ts';

export async function readActivity(db: Db) {
  const workers = await countWorkers(db);
  return { workers, stalled: await readStalled(db, workers) };
}

/** Returns since when the run makes no progress and why, or null if it does. */
export async function readStall(db: Db, id: string): Promise<Stall | null> {
  const stalled = await readStalled(db, await countWorkers(db));
  const found = stalled.find((run) => run.id === id);
  return found ? { since: found.since, why: found.why } : null;
}

type StalledRow = Omit<StalledRun, 'why'> & { lastError: Reason | null; lastErrorAt: Date | null };

/** Under maintenance runs are not paid, so their progress counts from its end. */
async function readStalled(db: Db, workers: number): Promise<StalledRun[]> {
  const rows = await runQuery<StalledRow>(
    db,
    sql`select run.id, run.kind, run.period, run.reverses, progress.since, run.last_error as "lastError",
        run.last_error_at as "lastErrorAt"
      from run cross join maintenance cross join lateral (
        select greatest(run.state_changed_at, maintenance.changed_at, max(chunk.planned_at), max(chunk.paid_at)) as since
        from run_chunk as chunk where chunk.run_id = run.id
      ) as progress
      where run.state in ('planning', 'running') and not maintenance.active
        and progress.since < now() - make_interval(mins => ${stalledAfterMinutes})
      order by progress.since`,
  );
  const stalled: StalledRun[] = [];
  for (const { lastError, lastErrorAt, ...run } of rows) {
    const isRecent = lastErrorAt !== null && lastErrorAt > run.since;
    stalled.push({ ...run, why: await whyStalled(db, { id: run.id, workers, error: isRecent ? lastError : null }) });
  }
  return stalled;
}

type Stalled = { id: string; workers: number; error: Reason | null };

async function whyStalled(db: Db, { id, workers, error }: Stalled): Promise<Reason> {
  if (workers === 0) return { code: 'worker-missing', params: {} };
  const blocker = await selectBlocker(db, id);
  if (blocker) return { code: 'waiting-for-lock', params: { application: blocker.application || null } };
  return error ?? { code: 'no-progress', params: {} };
}

/**
 * Returns who holds a lock that the worker of this run waits for. The worker is found by the lock that it holds for the
 * run. These views and the name of an application are visible to every role.
 */
async function selectBlocker(db: Db, id: string) {
  const [blocker] = await runQuery<{ application: string }>(
    db,
    sql`select activity.application_name as application
      from pg_locks as held
      join pg_database on pg_database.oid = held.database and pg_database.datname = current_database()
      cross join lateral unnest(pg_blocking_pids(held.pid)) as blocking (pid)
      join pg_stat_activity as activity on activity.pid = blocking.pid
      where held.locktype = 'advisory' and held.granted
        and held.objid = (hashtext(${`runs.${id}`})::bigint & 4294967295)::oid
      limit 1`,
  );
  return blocker;
}

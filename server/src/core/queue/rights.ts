import { sql } from 'kysely';
import { getMigrationPlans } from 'pg-boss';
import { connect, type Db, runQuery } from '#server/core/db/db.ts';

/*
 * What the processes may do with the tables of pg-boss, which checks nothing itself: whoever may write a row decides
 * what the queue does. In `bam` a row is SQL that the next migration runs as the owner of all tables, so neither
 * process has any right there.
 */

/** What pg-boss counts and stamps in the row of a queue. What it is and how often it repeats a job stays as created. */
const queueFigures = `deferred_count, queued_count, ready_count, active_count, failed_count, total_count, created_delta,
  completed_delta, failed_delta, delta_on, delta_seconds, ready_history, singletons_active, monitor_claim_on, monitor_on,
  maintain_on`;

const both = 'bursar_app, bursar_worker';

/** Takes back everything that a role or everybody may do, also what an earlier version granted, and grants the rest. */
export const narrowRights = `
  revoke all on schema pgboss from public, ${both}, bursar_auditor;
  revoke all on all tables in schema pgboss from public, ${both}, bursar_auditor;
  revoke all on all functions in schema pgboss from public, ${both}, bursar_auditor;
  grant usage on schema pgboss to ${both};
  grant execute on function pgboss.job_now(), pgboss.create_queue(text, jsonb) to ${both};
  -- Both create the queues that they need and enqueue tasks.
  grant select on pgboss.version, pgboss.queue, pgboss.job, pgboss.job_common to ${both};
  grant insert on pgboss.queue, pgboss.job_common to ${both};
  -- Only the worker fetches and completes jobs, removes old ones and plans the scheduled ones.
  grant insert, update, delete on pgboss.job, pgboss.job_common to bursar_worker;
  grant update (${queueFigures}) on pgboss.queue to bursar_worker;
  grant update (cron_on, flow_on, monitor_backoff_on) on pgboss.version to bursar_worker;
  grant select, insert, update, delete on pgboss.schedule to bursar_worker;
  grant select, delete on pgboss.job_dependency to bursar_worker;
`;

/**
 * Throws if the queue holds SQL for the owner that pg-boss did not write, or a queue with a table of its own, whose
 * name pg-boss would put into such SQL. An earlier version let the processes write these rows.
 */
export async function refusePlanted(ownerUrl: string) {
  const settings = { connections: 1, statementTimeoutMs: 60_000, onLostConnection: () => undefined };
  const { database } = connect({ url: ownerUrl, ...settings });
  try {
    const installed = await runQuery(database, sql`select from pg_class where oid = to_regclass('pgboss.bam')`);
    if (installed.length > 0) await refusePlantedRows(database);
  } finally {
    await database.destroy();
  }
}

async function refusePlantedRows(db: Db) {
  const commands = await runQuery<{ id: string; command: string }>(
    db,
    sql`select id, command from pgboss.bam where status <> 'completed' order by id`,
  );
  const ownCommands = new Set(getMigrationPlans('pgboss', 0).split(/;\s*$/m).map(comparable));
  const planted = commands.find(({ command }) => !ownCommands.has(comparable(command)));
  if (planted) throw new Planted(`pgboss.bam holds a command that pg-boss did not write, with the id ${planted.id}`);
  const [queue] = await runQuery<{ name: string }>(
    db,
    sql`select name from pgboss.queue where partition or table_name <> 'job_common'`,
  );
  if (queue) throw new Planted(`pgboss.queue holds a queue with a table of its own, "${queue.name}"`);
}

class Planted extends Error {
  constructor(what: string) {
    super(
      `${what}. The migration would run it with the rights of the owner, so it stopped before the queue. Someone with ` +
        'a login of a process may have planted it: find out who, change the passwords of the logins, delete the row, ' +
        'and run the migration again.',
    );
  }
}

/** pg-boss prints a command with a comment before it, and adds to some that they may have run before. */
const comparable = (text: string) =>
  text
    .replace(/^\s*--.*$/gm, '')
    .replace(/\bif not exists /gi, '')
    .replace(/\s+/g, ' ')
    .trim();

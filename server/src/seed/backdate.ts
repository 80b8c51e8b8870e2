import type { Pool } from '#server/core/db/db.ts';
import { installJobsAsOf } from '#server/features/jobs/demo.ts';
import { dayOfPosting } from '#server/core/ledger/demo.ts';

/** Something that the demo's past holds: it is done now, and told as of then. */
export type Step = { at: Date; happens: () => Promise<unknown> };

type Column = { table: string; column: string; along?: string };

/** Every time that the steps write. What moves along was counted from the column. */
const columns: Column[] = [
  { table: 'run', column: 'created_at' },
  { table: 'run', column: 'planned_at' },
  { table: 'run', column: 'started_at' },
  { table: 'run', column: 'ended_at' },
  { table: 'run_chunk', column: 'paid_at' },
  { table: 'run_due', column: 'noted_at' },
  { table: 'transfer', column: 'at' },
  { table: 'approval', column: 'requested_at', along: 'expires_at' },
  { table: 'approval', column: 'decided_at' },
  { table: 'job_settings', column: 'saved_at' },
  { table: 'adjustment', column: 'made_at' },
  { table: 'adjustment', column: 'posted_at' },
  { table: 'withdrawal', column: 'decided_at' },
  { table: 'stake', column: 'completed_at' },
  { table: 'platform_user', column: 'blacklisted_at' },
  { table: 'rank_change', column: 'made_at' },
  { table: 'audit_entry', column: 'at' },
];
const tables = [...new Set([...columns.map(({ table }) => table), 'transfer_once'])];

/**
 * Does one step after the other and then moves the times that each of them wrote to where the step belongs. Between the
 * steps nothing is moved: a request that is decided in the next one must not have expired.
 */
export async function doAsOf(owner: Pool, steps: readonly Step[]) {
  const moves: Move[] = [];
  for (const { at, happens } of steps) {
    const from = await earliestClock(owner);
    await happens();
    moves.push({ from, to: at });
  }
  await withoutTriggers(owner, async (client) => {
    // The last step first: what it wrote is out of the way before the step ahead of it is moved.
    for (const move of moves.toReversed()) for (const column of columns) await shift(client, column, move);
    for (const statement of dayOfPosting) await client.query(statement);
  });
}

/** What installing wrote happened before everything else. */
export async function installAsOf(owner: Pool, at: Date) {
  await withoutTriggers(owner, async (client) => {
    await client.query(installJobsAsOf, [at]);
  });
}

type Move = { from: Date; to: Date };

/** Some times are the database's and some are this process's, and their clocks may differ. */
async function earliestClock(owner: Pool) {
  const here = new Date();
  const { rows } = await owner.query<{ now: Date }>('select clock_timestamp() as now');
  const there = rows[0]?.now ?? here;
  return there < here ? there : here;
}

async function shift(client: Client, { table, column, along }: Column, { from, to }: Move) {
  const by = '($1::timestamptz - $2::timestamptz)';
  const alike = along ? `, ${along} = ${along} - ${by}` : '';
  const text = `update ${table} set ${column} = ${column} - ${by}${alike} where ${column} >= $1::timestamptz`;
  await client.query(text, [from, to]);
}

type Client = Pick<Pool, 'query'>;

/** The tables that hold what happened refuse changes, also by their owner: only their triggers can be told to rest. */
export async function withoutTriggers(owner: Pool, work: (client: Client) => Promise<void>) {
  const client = await owner.connect();
  try {
    await client.query('begin');
    for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
    await work(client);
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

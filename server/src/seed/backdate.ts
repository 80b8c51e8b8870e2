import type { Pool } from '#server/core/db/db.ts';
import { installJobsAsOf } from '#server/features/jobs/demo.ts';
import { dayOfPosting } from '#server/core/ledger/demo.ts';

/** An event in the demo's past. It is executed now, and its timestamps are moved to `at` afterwards. */
export type Step = { at: Date; happens: () => Promise<unknown> };

type Column = { table: string; column: string; along?: string };

/** Every timestamp column that the steps write. `along` is derived from it and moves by the same interval. */
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
  ...['decided_at', 'sent_at', 'unknown_at', 'settled_at'].map((column) => ({ table: 'withdrawal', column })),
  { table: 'stake', column: 'completed_at' },
  { table: 'platform_user', column: 'blacklisted_at' },
  { table: 'audit_entry', column: 'at' },
  { table: 'platform_event', column: 'at' },
];
/** Later steps ask what applied at an earlier time, so these are moved after each step. */
const facts: Column[] = [
  { table: 'job_settings', column: 'effective_from' },
  { table: 'rank_change', column: 'made_at' },
];
const tables = [...new Set([...[...columns, ...facts].map(({ table }) => table), 'transfer_once'])];

/**
 * Executes the steps in order, and then moves the timestamps that each of them wrote to the time of the step. Only facts
 * are moved between the steps, because a request that the next step decides must not have expired.
 */
export async function runBackdated(owner: Pool, steps: readonly Step[]) {
  const moves: Move[] = [];
  for (const { at, happens } of steps) {
    const from = await earliestClock(owner);
    await happens();
    const move = { from, to: at };
    await withoutTriggers(owner, async (client) => {
      for (const fact of facts) await shift(client, fact, move);
    });
    moves.push(move);
  }
  await withoutTriggers(owner, async (client) => {
    // Last step first: each move covers all rows from its start on, so later rows must have been moved already.
    for (const move of moves.toReversed()) for (const column of columns) await shift(client, column, move);
    for (const statement of dayOfPosting) await client.query(statement);
  });
}

/** Moves the timestamps that the installation wrote to `at`, before all steps. */
export async function backdateInstallation(owner: Pool, at: Date) {
  await withoutTriggers(owner, async (client) => {
    await client.query(installJobsAsOf, [at]);
  });
}

type Move = { from: Date; to: Date };

/** Some timestamps come from the database and some from this process, and their clocks may differ. */
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

/** Runs work in a transaction with triggers disabled: those of history tables refuse changes even by the owner. */
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

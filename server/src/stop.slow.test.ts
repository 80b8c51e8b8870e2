import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from './core/db/db.ts';
import { testVariables } from './core/testing/config.ts';
import { testDatabase } from './core/testing/database.ts';
import { startProgram } from './core/testing/process.ts';
import { eventually } from './core/testing/stream.ts';

/** Locks a table until the returned function is called. */
async function hold(owner: Database, table: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: isHeld } = Promise.withResolvers<void>();
  const holding = owner.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx);
    isHeld();
    await released;
  });
  await held;
  return async () => {
    release();
    await holding;
  };
}

const isWaitedFor = async (owner: Database, table: string) => {
  const { rows } = await sql`select from pg_locks
    where relation = to_regclass(${table}) and not granted`.execute(owner);
  return rows.length > 0;
};

// The API first reads its migrations. A starting worker last reads the runs, when it already processes tasks.
test.each([
  ['main.ts', 'kysely_migration'],
  ['worker.ts', 'kysely_migration'],
  ['worker.ts', 'run'],
] as const)(
  '%s shuts down cleanly on a signal that arrives during startup, while it waits for %s',
  async (program, table) => {
    await using db = await testDatabase();
    const release = await hold(db.owner, table);
    const started = startProgram({ program, environment: testVariables(db.url, { LOG_LEVEL: 'info' }) });
    await eventually(() => isWaitedFor(db.owner, table), 30_000);
    const ended = started.stop();
    await eventually(() => started.said.stdout.includes('"stopping"'));
    await release();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).not.toContain('"level":"error"');
  },
  90_000,
);

test('a worker that gets the signal twice, as through npm, shuts down once and cleanly', async () => {
  await using db = await testDatabase();
  const worker = startProgram({ program: 'worker.ts', environment: testVariables(db.url, { LOG_LEVEL: 'info' }) });
  await eventually(() => worker.said.stdout.includes('"working"'), 30_000);
  const ended = worker.stop();
  await eventually(() => worker.said.stdout.includes('"stopping"'));
  await Promise.all([worker.stop(), worker.stop()]);
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout.match(/"stopping"/g)).toHaveLength(1);
}, 60_000);

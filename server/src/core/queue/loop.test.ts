import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { announce } from '#server/core/events/events.ts';
import { openLog } from '#server/core/log.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { startLoop } from './loop.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

type Work = Parameters<typeof startLoop>[1]['work'];

async function start(work: Work) {
  const loop = await startLoop(
    { url: db.url, log: openLog('silent') },
    { name: 'tickets.test', wakesOn: ['tickets'], work },
  );
  onTestFinished(() => loop.stop());
  return loop;
}

const announceIn = (feature: 'tickets' | 'users') =>
  db.database.transaction().execute((tx) => announce(tx, { feature, id: 'x' }));

test('an announcement of its feature wakes the loop at once, and one of another feature does not', async () => {
  let turns = 0;
  await start(async () => {
    turns += 1;
    return 'idle';
  });
  await eventually(() => turns === 1);
  await announceIn('users');
  await announceIn('tickets');
  await eventually(() => turns === 2, 3_000);
});

test('an announcement during the work is not lost', async () => {
  let turns = 0;
  const { promise: working, resolve: finish } = Promise.withResolvers<void>();
  await start(async () => {
    turns += 1;
    if (turns === 1) await working;
    return 'idle';
  });
  await eventually(() => turns === 1);
  await announceIn('tickets');
  // The listener has received it when it has answered a later query.
  await eventually(async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and application_name = 'bursar-listen' and state = 'idle'`.execute(db.owner);
    return rows.length > 0;
  });
  finish();
  await eventually(() => turns === 2, 3_000);
});

test('stopping waits for the work in hand, and the work learns of it', async () => {
  let isDone = false;
  const loop = await start(async (signal) => {
    await eventually(() => signal.aborted);
    isDone = true;
    return 'idle';
  });
  await loop.stop();
  expect(isDone).toBe(true);
});

test('the loop continues after an error and after a lost connection', async () => {
  let turns = 0;
  await start(async () => {
    turns += 1;
    if (turns === 1) throw new Error('Failed on purpose.');
    return 'idle';
  });
  await eventually(() => turns === 2, 5_000);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'bursar-listen'`.execute(db.owner);
  await eventually(() => turns === 3, 5_000);
});

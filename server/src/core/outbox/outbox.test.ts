import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { Tx } from '#server/core/db/db.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { holdingLock } from '#server/core/testing/locks.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { outboxJobs } from './jobs.ts';
import { recordEvent } from './outbox.ts';
import { selectBounds, selectEvents } from './queries.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

const record = (tx: Tx, subjectId: string) =>
  recordEvent(tx, { type: 'maintenance.changed', subjectId, data: { active: true, endsAt: null } });
const commit = (subjectId: string) => db.database.transaction().execute((tx) => record(tx, subjectId));
const newest = async () => (await selectBounds(db.database)).newest ?? 0n;
const subjectsAfter = async (after: bigint) =>
  (await selectEvents(db.database, { after, limit: 1_000 })).map(({ subjectId }) => subjectId);

test('a transaction that rolls back leaves no event', async () => {
  const before = await newest();
  const failing = db.database.transaction().execute(async (tx) => {
    await record(tx, 'never');
    throw new Error('It failed afterwards.');
  });
  await expect(failing).rejects.toThrow('It failed afterwards.');
  await commit('after');
  expect(await subjectsAfter(before)).toEqual(['after']);
});

test('a cursor does not skip the event of a transaction that started first and committed last', async () => {
  const start = await newest();
  const commitSlow = await holdingLock(db.database, (tx) => record(tx, 'slow'));
  await commit('fast');
  const read = await selectEvents(db.database, { after: start, limit: 100 });
  expect(read.map(({ subjectId }) => subjectId)).toEqual(['fast']);
  await commitSlow();
  expect(await subjectsAfter(read.at(-1)?.seq ?? 0n)).toEqual(['slow']);
});

test('a transaction that has its number and not committed yet holds back all later numbers', async () => {
  const start = await newest();
  const commitFirst = await holdingLock(db.database, async (tx) => {
    await record(tx, 'first');
    // Runs the deferred trigger now, as at the beginning of a commit that takes long.
    await sql`set constraints all immediate`.execute(tx);
  });
  const second = commit('second');
  await wait(300);
  expect(await subjectsAfter(start)).toEqual([]);
  await commitFirst();
  await second;
  expect(await subjectsAfter(start)).toEqual(['first', 'second']);
});

test('a reader never sees a number below one that it has seen, while many transactions commit', async () => {
  const start = await newest();
  let cursor = start;
  const seen: string[] = [];
  let isWriting = true;
  const reading = (async () => {
    while (isWriting) {
      const events = await selectEvents(db.worker, { after: cursor, limit: 3 });
      seen.push(...events.map(({ subjectId }) => subjectId));
      cursor = events.at(-1)?.seq ?? cursor;
    }
  })();
  const written = Array.from({ length: 200 }, (_, index) => `n${index}`);
  const writers = Array.from({ length: 8 }, (_, writer) => written.filter((_subject, index) => index % 8 === writer));
  await Promise.all(
    writers.map(async (subjects) => {
      for (const subject of subjects) {
        await db.database.transaction().execute(async (tx) => {
          await record(tx, subject);
          await sql`select pg_sleep(random() * 0.01)`.execute(tx);
        });
      }
    }),
  );
  await eventually(() => seen.length === written.length, 5_000);
  isWriting = false;
  await reading;
  expect(seen.toSorted()).toEqual(written.toSorted());
});

test('transactions with several events and other locks do not deadlock at commit', async () => {
  const both = (first: string, second: string) =>
    db.database.transaction().execute(async (tx) => {
      await record(tx, first);
      await sql`select pg_advisory_xact_lock(hashtext(${first}))`.execute(tx);
      await record(tx, second);
    });
  await Promise.all(Array.from({ length: 20 }, (_, index) => both(`lock${index % 3}`, `other${index}`)));
});

test('neither the API nor the worker can write the number of an event or change one', async () => {
  for (const database of [db.database, db.worker]) {
    const inSql = (text: string) => database.transaction().execute((tx) => sql.raw(text).execute(tx));
    await expect(inSql(`update platform_event set data = '{}'`)).rejects.toMatchObject({ code: '42501' });
    await expect(
      inSql(`insert into platform_event (seq, type, subject_id, data) values (1, 'x', 'x', '{}')`),
    ).rejects.toMatchObject({ code: '42501' });
  }
});

test('events are deleted after ninety days', async () => {
  await commit('old');
  await sql`update platform_event set at = now() - interval '91 days' where subject_id = 'old'`.execute(db.owner);
  await commit('recent');
  await outboxJobs[0]?.run(db.worker);
  const kept = await subjectsAfter(0n);
  expect(kept).toContain('recent');
  expect(kept).not.toContain('old');
});

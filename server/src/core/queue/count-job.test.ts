import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { countJob } from './count-job.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

test('counters that cannot be folded fail the job, and the others are folded', async () => {
  await sql`create table folded (feature text)`.execute(db.owner);
  const broken = () => Promise.reject(new Error('no such counters'));
  const job = countJob([broken, (tx) => sql`insert into folded values ('tickets')`.execute(tx)]);
  await expect(job.run(db.owner)).rejects.toThrow('no such counters');
  expect((await sql`select feature from folded`.execute(db.owner)).rows).toEqual([{ feature: 'tickets' }]);
});

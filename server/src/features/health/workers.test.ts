import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openLog } from '#server/core/log.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { recordPresence } from './presence.ts';

const { db, server } = await testEnvironment();
const log = openLog('silent');
const read = () => server.call('GET', '/api/health/workers');

test('the number of live workers is public, and 503 when none has been seen for a minute', async () => {
  const none = await read();
  expect(none).toMatchObject({ status: 503, json: { code: 'NoWorker', error: 'No worker is running.' } });
  expect(Number(none.headers.get('retry-after'))).toBeGreaterThan(0);

  const one = await recordPresence(db.worker, log);
  const other = await recordPresence(db.worker, log);
  expect(await read()).toMatchObject({ status: 200, json: { workers: 2 } });
  await other.stop();
  expect(await read()).toMatchObject({ status: 200, json: { workers: 1 } });

  const age = (seconds: number) =>
    sql`update worker_process set seen_at = now() - make_interval(secs => ${seconds})`.execute(db.owner);
  await age(50);
  expect((await read()).status).toBe(200);
  await age(61);
  expect((await read()).status).toBe(503);
  await one.stop();
});

test('a worker that ended without a word is forgotten after a day', async () => {
  await sql`insert into worker_process (id, seen_at) values
    (uuid_v7(), now() - interval '25 hours'), (uuid_v7(), now() - interval '5 minutes')`.execute(db.owner);
  const presence = await recordPresence(db.worker, log);
  const { rows } = await sql`select from worker_process`.execute(db.owner);
  expect(rows).toHaveLength(2);
  await presence.stop();
});

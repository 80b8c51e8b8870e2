import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';

// The server trusts X-Forwarded-For from this machine, so that a test can call from any network.
const { db, server } = await testEnvironment({ BURSAR_TRUSTED_PROXIES: '127.0.0.1' });
await addAdmin(db.database, { username: 'ann', realHash: true });

beforeEach(async () => {
  await sql`delete from login_attempt`.execute(db.owner);
});

type Attempt = { username: string; password?: string; from: string; cookie?: string };

function attempt({ username, password = 'not the right phrase', from, cookie }: Attempt) {
  return server.call('POST', '/api/admin/login', {
    body: { username, password },
    headers: { 'x-forwarded-for': from, ...(cookie !== undefined && { origin: 'http://panel', cookie }) },
  });
}

/** Signs in from a browser and returns its device cookie. */
async function deviceOf(username: string) {
  const { headers } = await attempt({ username, password: testPassword, from: '10.200.0.1', cookie: '' });
  const cookie = headers.getSetCookie().find((text) => text.startsWith('__Host-bursar-device='));
  return cookie?.split(';')[0] ?? '';
}

test('a flood of sign-ins from many networks does not refuse an administrator on a known device', async () => {
  const cookie = await deviceOf('ann');
  const flood = Array.from({ length: 300 }, (_, index) =>
    attempt({ username: `guess${index}`, from: `10.${index % 250}.${Math.floor(index / 250)}.1` }),
  );
  const statuses: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    statuses.push((await attempt({ username: 'ann', password: testPassword, from: '10.200.0.1', cookie })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  const refused = (await Promise.all(flood)).map(({ status }) => status);
  expect(new Set(refused)).toEqual(new Set([401, 503]));
});

import { Action, Analytics, Interaction } from 'contract/reports.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'aud', permissionSet: 'Auditor' });
const token = await server.signIn('aud');

const read = async () => Analytics.parse((await server.call('GET', '/api/reports/analytics', { token })).json);

type UserValues = { createdAt?: string; lastActiveOn?: string | null; retired?: boolean };
let made = 0;

/** Inserts into the table itself, so that its triggers update the counters under test. */
async function addUsers(count: number, { createdAt = 'now()', lastActiveOn = null, retired = false }: UserValues) {
  const first = made;
  made += count;
  await sql`
    insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code, created_at, last_active_on)
    select 'U' || n, 'user' || n, 'w', 'w', 'REF' || lpad(n::text, 6, '0'), ${sql.raw(createdAt)}, ${
      lastActiveOn === null ? null : sql.raw(lastActiveOn)
    }
    from generate_series(${first + 1}::int, ${made}::int) as n`.execute(db.owner);
  if (retired)
    await sql`update platform_user set retired_at = now() where user_id = any(${Array.from({ length: count }, (_, i) => `U${first + 1 + i}`)})`.execute(
      db.owner,
    );
}

const utcDay = (ago: number) => `(now() at time zone 'UTC')::date - ${ago}`;

test('an empty platform has seven months up to now, nine kinds, and no engagement', async () => {
  const { registrations, actions, interactions, engagement } = await read();
  const now = new Date();
  const months = [6, 5, 4, 3, 2, 1, 0].map((ago) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString().slice(0, 10),
  );
  expect(registrations).toEqual(months.map((month) => ({ month, count: 0 })));
  expect(actions).toEqual(Action.options.map((kind) => ({ kind, count: 0 })));
  expect(interactions).toEqual(Interaction.options.map((kind) => ({ kind, count: 0 })));
  expect(engagement).toEqual({ percent: 0, active: 0, users: 0 });
});

test('the kinds and their order are those of the specification', () => {
  expect(Action.options).toEqual(['Login', 'Sign-up', 'Purchases', 'Messages', 'Support']);
  expect(Interaction.options).toEqual(['Browsing', 'Checkout', 'Referrals', 'Edits']);
});

test('registrations are counted per month in UTC, up to the last month with a registration', async () => {
  await addUsers(2, { createdAt: "'2024-12-31 23:59:59+00'" });
  await addUsers(3, { createdAt: "'2025-01-01 00:00:00+00'" });
  await addUsers(4, { createdAt: "'2025-02-28 23:59:59.999+00'" });
  // Still February in UTC.
  await addUsers(1, { createdAt: "'2025-03-01 04:00:00+05'" });
  await addUsers(5, { createdAt: "'2025-07-15 12:00:00+00'" });
  const counts = { '01': 3, '02': 5, '03': 0, '04': 0, '05': 0, '06': 0, '07': 5 };
  const expected = Object.entries(counts).map(([month, count]) => ({ month: `2025-${month}-01`, count }));
  expect((await read()).registrations).toEqual(expected.toSorted((a, b) => a.month.localeCompare(b.month)));
});

test('a deleted user still counts as a registration', async () => {
  const before = (await read()).registrations.at(-1);
  await addUsers(2, { createdAt: "'2025-07-20 12:00:00+00'", retired: true });
  expect((await read()).registrations.at(-1)).toEqual({ month: '2025-07-01', count: (before?.count ?? 0) + 2 });
});

test('actions and interactions are summed per kind over the last 30 days', async () => {
  await sql`
    insert into activity_hour (hour, kind, count) values
      (date_trunc('hour', now()), 'Login', 7),
      (date_trunc('hour', now()) - interval '29 days', 'Login', 5),
      (date_trunc('hour', now()) - interval '31 days', 'Login', 1000),
      (date_trunc('hour', now()) - interval '1 day', 'Sign-up', 3),
      (date_trunc('hour', now()) - interval '2 days', 'Edits', 11),
      (date_trunc('hour', now()) - interval '40 days', 'Referrals', 13)`.execute(db.owner);
  const { actions, interactions } = await read();
  expect(actions.map(({ count }) => count)).toEqual([12, 3, 0, 0, 0]);
  expect(interactions.map(({ count }) => count)).toEqual([0, 0, 0, 11]);
});

test('engagement is the share of users active today or in the 29 days before', async () => {
  await sql`update platform_user set last_active_on = null`.execute(db.owner);
  const { users } = (await read()).engagement;
  await addUsers(3, { lastActiveOn: utcDay(0) });
  await addUsers(2, { lastActiveOn: utcDay(29) });
  await addUsers(7, { lastActiveOn: utcDay(30) });
  await addUsers(4, { lastActiveOn: utcDay(0), retired: true });
  const all = users + 12;
  expect((await read()).engagement).toEqual({ percent: Math.round((100 * 5) / all), active: 5, users: all });
});

test('the percentage is rounded and follows the number of active users', async () => {
  await sql`update platform_user set last_active_on = (now() at time zone 'UTC')::date where retired_at is null`.execute(
    db.owner,
  );
  const { users } = (await read()).engagement;
  expect((await read()).engagement).toEqual({ percent: 100, active: users, users });
  await sql`update platform_user set last_active_on = null where user_id = 'U1'`.execute(db.owner);
  const percent = Math.round((100 * (users - 1)) / users);
  expect((await read()).engagement).toEqual({ percent, active: users - 1, users });
});

test('the day of an activity does not depend on the time zone of the session that writes it', async () => {
  const days = ['Pacific/Auckland', 'America/Los_Angeles', 'UTC'].map((zone) =>
    db.owner.transaction().execute(async (tx) => {
      await sql`select set_config('timezone', ${zone}, true)`.execute(tx);
      await sql`update platform_user set last_active_on = '2024-02-29' where user_id = 'U2'`.execute(tx);
      const { rows } = await sql<{ at: Date }>`
        select at from user_count where measure = 'active' and at < '2025-01-01' group by at having sum(delta) > 0`.execute(
        tx,
      );
      await sql`update platform_user set last_active_on = null where user_id = 'U2'`.execute(tx);
      return rows.map(({ at }) => at.toISOString());
    }),
  );
  for (const found of await Promise.all(days)) expect(found).toEqual(['2024-02-29T00:00:00.000Z']);
});

test('analytics does not read the table of users', async () => {
  await sql`revoke select on platform_user from bursar_app`.execute(db.owner);
  const { status } = await server.call('GET', '/api/reports/analytics', { token });
  await sql`grant select on platform_user to bursar_app`.execute(db.owner);
  expect(status).toBe(200);
});

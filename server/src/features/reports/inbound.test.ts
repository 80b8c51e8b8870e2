import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes, platformOf } from '#server/core/testing/inbound.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addUser } from '#server/core/testing/user.ts';
import { prepareActivityDays } from './inbound-queries.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.owner, { username: 'ann' });
const { secret } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
const { send } = platformOf(server, secret);

const hourMs = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString();
let sent = 0;

const eventItem = (user: string, chosen: object = {}) => {
  sent += 1;
  return { id: `event-${sent}`, user, type: 'Login', at: hoursAgo(1), ...chosen };
};

async function countOf(kind: string) {
  const { rows } = await sql<{ count: bigint }>`
    select coalesce(sum(count), 0)::bigint as count from activity_hour where kind = ${kind}::activity_kind`.execute(
    db.owner,
  );
  return rows[0]?.count;
}

const lastDayOf = async (id: string) => {
  const { rows } = await sql<{ day: string | null }>`
    select last_active_on::text as day from platform_user where id = ${id}::uuid`.execute(db.owner);
  return rows[0]?.day;
};

test('events are counted once by hour and type, and tell when a user was last active', async () => {
  const { id, userId: user } = await addUser(db.owner);
  const [early, late] = [eventItem(user, { at: hoursAgo(50) }), eventItem(user)];
  expect(await send('activity', late, early, late)).toEqual(['stored', 'stored', 'duplicate']);
  expect(await send('activity', early, late)).toEqual(['duplicate', 'duplicate']);
  expect(await countOf('Login')).toBe(2n);
  expect(await lastDayOf(id)).toBe(late.at.slice(0, 10));
  await send('activity', eventItem(user, { at: hoursAgo(100) }));
  expect(await lastDayOf(id)).toBe(late.at.slice(0, 10));
});

test('each item is refused with its own code', async () => {
  const { userId: user } = await addUser(db.owner);
  const item = eventItem(user, { type: 'Edits' });
  expect(
    await send(
      'activity',
      item,
      { ...item, type: 'Checkout' },
      { ...item, at: hoursAgo(30) },
      eventItem('nobody'),
      eventItem(user, { at: hoursAgo(7 * 24 + 1) }),
      eventItem(user, { at: hoursAgo(-1) }),
      eventItem(user, { type: 'Edits', at: hoursAgo(7 * 24 - 1) }),
    ),
  ).toEqual(['stored', 'IdReused', 'IdReused', 'UserUnknown', 'TooOld', 'TimeInvalid', 'stored']);
  expect(await countOf('Edits')).toBe(2n);
});

test('five identical calls at once count each event once', async () => {
  const { userId: user } = await addUser(db.owner);
  const items = Array.from({ length: 100 }, () => eventItem(user, { type: 'Purchases' }));
  const answers = await Promise.all(Array.from({ length: 5 }, () => send('activity', ...items)));
  expect(answers.flat().filter((outcome) => outcome === 'stored')).toHaveLength(100);
  expect(await countOf('Purchases')).toBe(100n);
});

test('the worker prepares the days to come and drops those whose events are refused', async () => {
  const days = async () => {
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'activity_event'::regclass order by 1`.execute(
      db.owner,
    );
    return rows.map(({ name }) => name);
  };
  const prepare = () => db.worker.transaction().execute(prepareActivityDays);
  // The database may have been prepared before midnight.
  await prepare();
  const prepared = await days();
  await sql`create table activity_event_20200101 partition of activity_event
    for values from ('2020-01-01') to ('2020-01-02')`.execute(db.owner);
  await sql`drop table ${sql.table(prepared.at(-1) ?? '')}`.execute(db.owner);
  await prepare();
  expect(await days()).toEqual(prepared);
});

import { sql } from 'kysely';
import { TicketStatus } from 'contract/tickets.ts';
import { expect, test } from 'vitest';
import { testHouse } from '#server/testing/house.ts';
import { addAdmin } from '#server/testing/server.ts';
import { ticketJobs } from './jobs.ts';

const { db, server } = await testHouse();
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');

const fold = async () => {
  for (const { run } of ticketJobs) await run(db.worker);
};

/** Both in one statement, so that nothing happens between them. */
async function counters() {
  const { rows } = await sql<{ status: string; kept: bigint; counted: bigint }>`
    select status::text, (select count(*) from ticket where ticket.status = one.status) as counted,
      coalesce((select sum(delta) from ticket_count where ticket_count.status = one.status), 0)::bigint as kept
    from unnest(enum_range(null::ticket_status)) as one (status)`.execute(db.owner);
  return rows;
}

async function expectExactCounters() {
  for (const { status, kept, counted } of await counters())
    expect({ status, count: kept }).toEqual({ status, count: counted });
}

const anyOf = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)];

async function somethingHappens(ids: string[]) {
  const id = anyOf(ids);
  if (id === undefined || Math.random() < 0.3) {
    const { json } = await server.call('POST', '/api/tickets', { token, body: { type: 'Any', description: 'Text' } });
    ids.push(String(json['id']));
    return;
  }
  const call =
    Math.random() < 0.3
      ? server.call('POST', `/api/tickets/${id}/reply`, { token, body: { message: 'Hello' } })
      : server.call('PATCH', `/api/tickets/${id}/status`, { token, body: { status: anyOf(TicketStatus.options) } });
  expect([200, 409]).toContain((await call).status);
}

test('the counters are exact after anything that happens', async () => {
  const ids: string[] = [];
  for (let step = 0; step < 80; step += 1) await somethingHappens(ids);
  await expectExactCounters();
  await fold();
  await expectExactCounters();
});

test('the counters stay exact while they are folded in the middle of writing, by more than one worker', async () => {
  const ids: string[] = [];
  let writing = true;
  const folding = Array.from({ length: 2 }, async () => {
    while (writing) await fold();
  });
  const watching = (async () => {
    while (writing) await expectExactCounters();
  })();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let step = 0; step < 40; step += 1) await somethingHappens(ids);
    }),
  );
  writing = false;
  await Promise.all([...folding, watching]);
  await expectExactCounters();
});

test('folding leaves one row for each status', async () => {
  await fold();
  const rows = await db.owner.selectFrom('ticketCount').select('status').execute();
  expect(rows.length).toBe(new Set(rows.map(({ status }) => status)).size);
});

test('many changed in one statement are counted each', async () => {
  await sql`insert into ticket (type, description, username, status)
    select 'Many', 'Text', 'bulk', (enum_range(null::ticket_status))[1 + n % 6] from generate_series(1, 500) as n`.execute(
    db.owner,
  );
  await sql`update ticket set status = 'closed' where username = 'bulk' and status in ('open', 'rejected')`.execute(
    db.owner,
  );
  await sql`update ticket set response = 'same status' where username = 'bulk'`.execute(db.owner);
  await expectExactCounters();
});

test('what is rolled back is not counted', async () => {
  const before = await counters();
  const undone = db.owner.transaction().execute(async (tx) => {
    await sql`update ticket set status = 'rejected'`.execute(tx);
    throw new Error('Changed my mind.');
  });
  await expect(undone).rejects.toThrow('Changed my mind.');
  expect(await counters()).toEqual(before);
});

test('the list’s totals are the counters', async () => {
  const { rows } = await sql<{
    status: string;
    count: bigint;
  }>`select status::text, count(*) from ticket group by status`.execute(db.owner);
  for (const { status, count } of rows) {
    const { json } = await server.call('GET', `/api/tickets/all?status=${status}&limit=1`, { token });
    expect(json['total']).toEqual({ count: Number(count), capped: false });
  }
});

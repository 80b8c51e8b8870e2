import type { Database, Pool } from '../../server/src/db/db.ts';
import { foldCounts } from '../../server/src/tickets/queries.ts';

/** Twenty tickets hold the rare word at any size, a fifth of all the common one, a hundredth the middling one. */
export const words = { rare: 'chargeback', common: 'withdrawal', middling: 'passport' } as const;
export const rareMatches = 20;

const batch = 50_000;

/** The newest ticket is the last that is written, as in a list that grew over two years. */
const insertBatch = `
  insert into ticket (type, description, username, status, response, created_at)
  select
    case
      when n % (size / ${rareMatches}) = 7 then 'Chargeback on a card deposit'
      when n % 5 = 0 then (array[
        'Withdrawal still pending', 'Withdrawal sent to an old wallet', 'Why did my withdrawal fail?',
        'Second withdrawal on the same day', 'Cancel my withdrawal, please'
      ])[dice % 5 + 1]
      when n % 100 = 51 then 'Passport photo was refused'
      else (array[
        'Stake payout lower than yesterday', 'Wallet change', 'Referral not counted', 'GMP shares after transfer',
        'Task reward missing', 'Rank shows Silver instead of Gold', 'Cannot connect wallet', 'Two stakes, one payout',
        'Lost the authenticator app', 'Team volume looks wrong', 'Invite link opens an empty page', 'Change my email'
      ])[dice % 12 + 1]
    end || ', case ' || (dice % 90000 + 10000),
    'I looked at my account this morning and something does not add up. ' || (array[
      'The figure was right yesterday evening and nothing was changed by me since then.',
      'The page at https://example.com/account/' || person || ' shows another amount than the app does.',
      'A friend of mine sees the same since Friday, so I do not think that it is only me.'
    ])[dice % 3 + 1] || ' Could you please check and tell me what to do? Thank you.',
    (array['mira', 'jonas', 'lena', 'okoro', 'ana', 'kenji', 'ines', 'tomasz', 'amara', 'lucia', 'noor', 'pavel'])[
      person % 12 + 1
    ] || '.' || (array['lind', 'osei', 'sato', 'brandt', 'luz', 'fjord', 'moreau', 'okafor', 'varga', 'haddad'])[
      person / 12 % 10 + 1
    ] || person,
    state::ticket_status,
    case when state <> 'open' then 'Thank you for writing. We have looked into it and corrected the figure.' end,
    now() - (size - n) * (interval '730 days' / size)
  from (select $1::bigint as size) as whole
  cross join generate_series($2::bigint, $3::bigint) as n
  cross join lateral (
    select hashint8extended(n, 1) & 2147483647 as dice, (hashint8extended(n, 2) & 2147483647) % (size / 5) as person
  ) as drawn
  cross join lateral (
    select (array[
      'closed', 'closed', 'closed', 'closed', 'closed', 'closed', 'closed', 'closed', 'closed', 'closed',
      'resolved', 'resolved', 'resolved', 'resolved', 'resolved',
      'open', 'open', 'in_progress', 'awaiting_user', 'rejected'
    ])[(hashint8extended(n, 3) & 2147483647) % 20 + 1] as state
  ) as decided`;

export async function fillTickets({ pool, database }: { pool: Pool; database: Database }, size: number) {
  const restoreIndexes = await setIndexesAside(pool);
  for (let from = 1; from <= size; from += batch) {
    await pool.query(insertBatch, [size, from, Math.min(size, from + batch - 1)]);
  }
  await restoreIndexes();
  await database.transaction().execute((tx) => foldCounts(tx));
  await pool.query('vacuum (analyze) ticket');
  await pool.query('vacuum (analyze) ticket_count');
  // What the filling left to be written would otherwise be written while we measure.
  await pool.query('checkpoint');
}

/** A million rows that each find their place in every index take minutes; an index over a million rows takes seconds. */
async function setIndexesAside(pool: Pool) {
  const { rows } = await pool.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = 'ticket'::regclass and not indisunique`);
  for (const { name } of rows) await pool.query(`drop index ${name}`);
  return async () => {
    for (const { definition } of rows) await pool.query(`set maintenance_work_mem = '256MB'; ${definition}`);
  };
}

import { sql } from 'kysely';
import type { Database } from '#server/core/db/db.ts';

/** Adds users with these names, in this order, and returns their ids. */
export async function addUsers(owner: Database, usernames: string[]) {
  const { rows } = await sql<{ id: string }>`
    insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code)
    select 'U' || gen_random_uuid(), name, 'w', 's', gen_random_uuid()::text
    from unnest(${usernames}::text[]) with ordinality as given (name, place) order by place
    returning id`.execute(owner);
  return rows.map(({ id }) => id);
}

/** Adds withdrawals of the users in turn, one minute apart, the newest last. */
export function addWithdrawals(owner: Database, { users, count, at }: { users: string[]; count: number; at: string }) {
  return sql`
    insert into withdrawal (user_id, amount_usd, wallet, state, created_at, balance_usd, gmp_shares, prev_slx,
      slx_points, decided_at, reason)
    select (${users}::uuid[])[1 + n % cardinality(${users}::uuid[])], 1000000 + n * 12345, 'w', state, created_at,
      0, 0, 0, 0, case when state <> 'requested' then created_at end, case state when 'rejected' then 'No.' end
    from generate_series(1, ${count}::int) as n
    cross join lateral (
      select (array['requested', 'confirmed', 'rejected']::withdrawal_state[])[1 + n % 3] as state,
        ${at}::timestamptz + n * interval '1 minute' as created_at
    ) as made`.execute(owner);
}

/** Limits how many rows per second an export writes, so that a test can interrupt it. */
export function slowDown(owner: Database, rowsPerSecond: number) {
  return sql`
    create or replace function csv_text(cell text) returns text language plpgsql as $$
    begin
      perform pg_sleep(${sql.lit(1 / rowsPerSecond)});
      return cell;
    end $$`.execute(owner);
}

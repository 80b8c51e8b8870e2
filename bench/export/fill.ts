import type { Pool } from '../../server/src/core/db/db.ts';

/** Inserts ten withdrawals per user, over two years, without triggers and foreign keys, which would slow it down. */
export async function fillWithdrawals(pool: Pool, rows: number) {
  const client = await pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into platform_user (id, user_id, username, wallet, sol_wallet_address, referral_code)
       select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'U' || n,
         (array['mira', 'jonas', 'lena', 'okoro', 'ana', 'kenji', 'ines', 'tomasz'])[1 + n % 8] || '.' || n, 'w', 's', 'R' || n
       from generate_series(1, $1::bigint / 10) as n`,
      [rows],
    );
    await client.query(
      `insert into withdrawal (user_id, amount_usd, wallet, state, created_at, balance_usd, gmp_shares, prev_slx,
         slx_points, decided_at)
       select ('00000000-0000-7000-8000-' || lpad(to_hex(1 + n * 7919 % ($1::bigint / 10)), 12, '0'))::uuid,
         1000000 + n * 12345 % 900000000, 'w', state, at, 0, 0, 0, 0, case state when 'confirmed' then at end
       from generate_series(1, $1::bigint) as n
       cross join lateral (
         select (array['requested', 'confirmed']::withdrawal_state[])[1 + least(1, n % 5)] as state,
           now() - ($1 - n) * (interval '730 days' / $1) as at
       ) as made`,
      [rows],
    );
    await client.query('vacuum (analyze) withdrawal');
    await client.query('vacuum (analyze) platform_user');
    await client.query('checkpoint');
  } finally {
    client.release(true);
  }
}

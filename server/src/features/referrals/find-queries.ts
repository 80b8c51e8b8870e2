import { type FindingKind, namedAtMost } from 'contract/referrals.ts';
import { sql } from 'kysely';
import { runQuery, type Tx } from '#server/core/db/db.ts';

export const beforeAll = '00000000-0000-0000-0000-000000000000';

/** The number of rows per statement, which takes a fraction of a second. */
const pieceRows = 20_000;
/** The number of suspects per statement. Each is followed upwards, however long its chain is. */
const climbsAtOnce = 500;

export type Found = { kind: FindingKind; users: string[]; size: bigint; wallet: string | null };

/** Creates the temporary tables of a report. They are dropped when the transaction ends. */
export async function prepareScratch(tx: Tx) {
  // Rows are looked up by key: for a piece of this size the planner would sometimes read a whole table instead.
  for (const way of ['hashjoin', 'mergejoin', 'hashagg']) await sql.raw(`set local enable_${way} = off`).execute(tx);
  await sql`create temporary table suspect (no bigint generated always as identity primary key, user_id uuid not null)
    on commit drop`.execute(tx);
  await sql`create temporary table ring (user_id uuid primary key, ring_id uuid not null) on commit drop`.execute(tx);
  for (const table of ['gap', 'missed']) {
    await sql`create temporary table ${sql.id(table)} (user_id uuid not null, waits boolean not null,
      referrals bigint not null, network bigint not null, sol bigint not null, usd bigint not null)
      on commit drop`.execute(tx);
    await sql`create index on ${sql.id(table)} (user_id, waits)`.execute(tx);
  }
}

export async function countUsers(tx: Tx) {
  const [counted] = await runQuery<{ users: bigint }>(tx, sql`select count(*) as users from platform_user`);
  return counted?.users ?? 0n;
}

type Judged = { rows: bigint; last: string | null; found: Found[] };

/**
 * Compares the next users with their sponsors. A user who is their own sponsor is a circle of one. Every other circle
 * has a user whose sponsor did not join before them, so only such users are followed as suspects.
 */
export async function judgeSponsors(tx: Tx, after: string): Promise<Judged> {
  const [judged] = await runQuery<Omit<Judged, 'found'> & { found: [FindingKind, string, string][] }>(
    tx,
    sql`
    with piece as materialized (
      select id, sponsor_id, created_at, retired_at from platform_user
      where id > ${after}::uuid order by id limit ${sql.lit(pieceRows)}
    ),
    beside as materialized (
      select piece.id, piece.sponsor_id, piece.sponsor_id = piece.id as own, piece.retired_at is null as here,
        sponsor.id is null or sponsor.retired_at is not null as missing, sponsor.blacklisted_at is not null as ineligible,
        (sponsor.created_at, sponsor.id) >= (piece.created_at, piece.id) as late
      from piece left join platform_user as sponsor on sponsor.id = piece.sponsor_id
      where piece.sponsor_id is not null
    ),
    suspected as (insert into suspect (user_id) select id from beside where late and not own),
    alone as (insert into ring (user_id, ring_id) select id, id from beside where own),
    found as (
      select case when own then 'self-referral' when missing then 'missing-sponsor' else 'blacklisted-sponsor' end as kind,
        id, sponsor_id
      from beside where own or here and (missing or ineligible)
    )
    select (select count(*) from piece) as rows, (select id from piece order by id desc limit 1) as last,
      (select coalesce(jsonb_agg(jsonb_build_array(kind, id, sponsor_id) order by id), '[]') from found) as found`,
  );
  if (!judged) throw new Error('The database gave no answer.');
  const found = judged.found.map(([kind, id, sponsorId]) => {
    const users = kind === 'self-referral' ? [id] : [id, sponsorId];
    return { kind, users, size: BigInt(users.length), wallet: null };
  });
  return { ...judged, found };
}

/**
 * Follows the next suspects upwards and returns one member of every circle that is found. This is Brent's algorithm:
 * one pointer climbs, and the other catches up each time the distance has doubled. In a circle the two meet.
 */
export async function climbFromSuspects(tx: Tx, after: bigint) {
  const [climbed] = await runQuery<{ last: bigint | null; met: string[] }>(
    tx,
    sql`
    with recursive piece as materialized (
      select no, user_id from suspect where no > ${after}::bigint order by no limit ${sql.lit(climbsAtOnce)}
    ),
    climb (behind, id, steps, reach) as (
      select user_id, (select sponsor_id from platform_user where id = piece.user_id), 1, 1 from piece
      union all
      select case when steps = reach then id else behind end,
        (select sponsor_id from platform_user where id = climb.id),
        case when steps = reach then 1 else steps + 1 end,
        case when steps = reach then reach * 2 else reach end
      from climb where id is not null and id <> behind
    )
    select (select max(no) from piece) as last,
      array(select distinct id from climb where id = behind order by id) as met`,
  );
  if (!climbed) throw new Error('The database gave no answer.');
  return climbed;
}

/** Marks all members of the circle of a user. Returns undefined if the circle is already known. */
export async function insertRing(tx: Tx, member: string): Promise<Found | undefined> {
  const [ring] = await runQuery<{ users: string[]; size: bigint }>(
    tx,
    sql`
    with recursive around (id, place) as (
      select ${member}::uuid, 1 where not exists (select from ring where user_id = ${member}::uuid)
      union all
      select platform_user.sponsor_id, place + 1 from around join platform_user on platform_user.id = around.id
      where platform_user.sponsor_id <> ${member}::uuid
    ),
    marked as (insert into ring (user_id, ring_id) select id, ${member}::uuid from around)
    select array(select id from around order by place limit ${sql.lit(namedAtMost)}) as users, count(*) as size
    from around having count(*) > 0`,
  );
  return ring && { kind: 'circle', ...ring, wallet: null };
}

/** Updates the statistics of a temporary table, because autovacuum does not. */
export const analyze = (tx: Tx, table: 'ring' | 'gap' | 'missed') => sql`analyze ${sql.id(table)}`.execute(tx);

/** Returns the end of the next piece of wallets, or null for the last piece. Both addresses of a user count. */
export async function selectWalletEnd(tx: Tx, after: string) {
  const [end] = await runQuery<{ wallet: string | null }>(
    tx,
    sql`select least(
      (select wallet from platform_user where wallet > ${after} order by wallet offset ${sql.lit(pieceRows - 1)} limit 1),
      (select sol_wallet_address from platform_user where sol_wallet_address > ${after}
        order by sol_wallet_address offset ${sql.lit(pieceRows - 1)} limit 1)) as wallet`,
  );
  return end?.wallet ?? null;
}

/** Returns the addresses of several users. Most addresses occur once and are read from the indexes alone. */
export function selectSharedWallets(tx: Tx, { after, to }: { after: string; to: string | null }) {
  return runQuery(
    tx,
    sql<Found>`
    with twice as materialized (
      select address from (
        select wallet as address from platform_user
        where wallet > ${after} and (${to}::text is null or wallet <= ${to})
        union all
        select sol_wallet_address from platform_user
        where sol_wallet_address > ${after} and (${to}::text is null or sol_wallet_address <= ${to})
      ) as used
      group by address having count(*) > 1
    )
    select 'shared-wallet' as kind, (array_agg(id order by id))[:${sql.lit(namedAtMost)}] as users, count(*) as size,
      address as wallet
    from twice cross join lateral (
      select id from platform_user where wallet = address
      union
      select id from platform_user where sol_wallet_address = address
    ) as owner
    group by address having count(*) > 1 order by address`,
  );
}

import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Db, type Tx } from '#server/core/db/db.ts';
import { beforeAll } from './find-queries.ts';

/**
 * Compares all counters with the tree without walking the tree from every user.
 *
 * A counter is correct if it equals the counters of the direct referrals plus these referrals themselves. A difference
 * is a `gap`, and the error of a counter is the sum of the gaps at and below it. So only gaps are carried up, and a
 * correct tree has none. Rows that wait in team_delta count as stored: each is one more gap, at the sponsor of the user
 * who joined or staked, and it is carried a second time as `waits`.
 *
 * In a circle every user is below every other. So nothing is carried into a circle from within it (`ring`), and the
 * errors of its members are computed from all of them together.
 */

const pieceRows = 20_000;
const carriedAtOnce = 500;
const correctedAtOnce = 5_000;
const blocksAtOnce = 500;

const figures = ['referrals', 'network', 'sol', 'usd'] as const;
const each = (write: (figure: (typeof figures)[number]) => RawBuilder<unknown>, between = sql`, `) =>
  sql.join(figures.map(write), between);
const columns = sql`user_id, waits, ${each((figure) => sql.ref(figure))}`;

/** A place in the index of sponsors. The timestamp is text, because a Date is less precise. */
export type Place = { sponsor: string; createdAt: string; id: string };
export const firstPlace: Place = { sponsor: beforeAll, createdAt: '-infinity', id: beforeAll };

/**
 * Inserts the gaps of the next referrals, in the order of their sponsors. If a sponsor has more referrals than a piece
 * holds, the sponsor's counters are compared with the first piece, and the gaps of the other pieces add up with it.
 */
export async function insertGaps(tx: Tx, after: Place) {
  const [piece] = await runQuery<{ rows: bigint; last: Place | null }>(
    tx,
    sql`
    with referral as materialized (
      select sponsor_id, created_at, id from platform_user
      where sponsor_id is not null
        and (sponsor_id, created_at, id) > (${after.sponsor}::uuid, ${after.createdAt}::timestamptz, ${after.id}::uuid)
      order by sponsor_id, created_at, id limit ${sql.lit(pieceRows)}
    ),
    below as (
      select sponsor_id as user_id,
        count(*) filter (where referral.id <> sponsor_id) as referrals,
        coalesce(sum(1 + coalesce(team.total_network, 0)) filter (where ring.user_id is null), 0) as network,
        coalesce(sum(coalesce(team.volume_sol, 0) + staked.sol) filter (where ring.user_id is null), 0) as sol,
        coalesce(sum(coalesce(team.volume_usd, 0) + staked.usd) filter (where ring.user_id is null), 0) as usd
      from referral left join ring on ring.user_id = referral.id left join team on team.user_id = referral.id
      cross join lateral (${stakedBy(sql`referral.id`)}) as staked
      group by sponsor_id
    ),
    compared as (
      select below.user_id, false as waits,
        coalesce(team.referral_count, 0) - below.referrals as referrals,
        coalesce(team.total_network, 0) - below.network as network,
        coalesce(team.volume_sol, 0) - below.sol as sol, coalesce(team.volume_usd, 0) - below.usd as usd
      from below left join team on team.user_id = below.user_id and below.user_id <> ${after.sponsor}::uuid
    ),
    kept as (
      insert into gap (${columns}) select ${columns} from compared
      where ${each((figure) => sql`${sql.ref(figure)} <> 0`, sql` or `)}
    )
    select (select count(*) from referral) as rows, (
      select jsonb_build_object('sponsor', sponsor_id, 'createdAt', created_at::text, 'id', id)
      from referral order by sponsor_id desc, created_at desc, id desc limit 1
    ) as last`,
  );
  if (!piece) throw new Error('The database gave no answer.');
  return piece;
}

const stakedBy = (user: RawBuilder<unknown>) => sql`
  select coalesce(sum(amount_sol), 0) as sol, coalesce(sum(amount_usd), 0) as usd from stake where stake.user_id = ${user}`;

/** Inserts the gaps of users without referrals. Returns where the next piece starts. */
export async function insertGapsOfLeaves(tx: Tx, after: string) {
  const [piece] = await runQuery<{ last: string | null }>(
    tx,
    sql`
    with piece as materialized (
      select user_id, referral_count, total_network, volume_sol, volume_usd from team
      where user_id > ${after}::uuid order by user_id limit ${sql.lit(pieceRows)}
    ),
    kept as (
      insert into gap (${columns})
      select user_id, false, referral_count, total_network, volume_sol, volume_usd from piece
      where (referral_count <> 0 or total_network <> 0 or volume_sol <> 0 or volume_usd <> 0)
        and not exists (select from platform_user where sponsor_id = piece.user_id)
    )
    select (select user_id from piece order by user_id desc limit 1) as last`,
  );
  return piece?.last ?? undefined;
}

/** Counts the pieces of team_delta. It has no key to scan by, so it is read some blocks at a time. */
export async function countDeltaPieces(tx: Tx) {
  const [size] = await runQuery<{ blocks: bigint }>(
    tx,
    sql`select pg_relation_size('team_delta') / current_setting('block_size')::int as blocks`,
  );
  return Math.ceil(Number(size?.blocks ?? 0n) / blocksAtOnce);
}

export async function insertDeltas(tx: Tx, piece: number) {
  const block = (no: number) => sql.lit(`(${no * blocksAtOnce},0)`);
  await sql`
    insert into gap (${columns})
    select platform_user.sponsor_id, waits, coalesce(sum(members) filter (where platform_user.id <> platform_user.sponsor_id), 0),
      coalesce(sum(members) filter (where ring.user_id is null), 0),
      coalesce(sum(volume_sol) filter (where ring.user_id is null), 0),
      coalesce(sum(volume_usd) filter (where ring.user_id is null), 0)
    from team_delta join platform_user on platform_user.id = team_delta.user_id
    left join ring on ring.user_id = platform_user.id
    cross join (values (false), (true)) as both_ways (waits)
    where platform_user.sponsor_id is not null
      and team_delta.ctid >= ${block(piece)}::tid and team_delta.ctid < ${block(piece + 1)}::tid
    group by platform_user.sponsor_id, waits`.execute(tx);
}

type Gap = { userId: string; waits: boolean };
export const firstGap: Gap = { userId: beforeAll, waits: false };

/** Carries the next gaps up to all users above, or up to a circle. Returns where to continue. */
export async function carryGaps(tx: Tx, { userId, waits }: Gap) {
  const [piece] = await runQuery<{ last: Gap | null }>(
    tx,
    sql`
    with recursive piece as materialized (
      select user_id, waits, ${each((figure) => sql`sum(${sql.ref(figure)})::bigint as ${sql.ref(figure)}`)}
      from gap where (user_id, waits) > (${userId}::uuid, ${waits}::boolean)
      group by user_id, waits having ${each((figure) => sql`sum(${sql.ref(figure)}) <> 0`, sql` or `)}
      order by user_id, waits limit ${sql.lit(carriedAtOnce)}
    ),
    carried (${columns}) as (
      select ${columns} from piece
      union all
      select (select sponsor_id from platform_user where id = carried.user_id), waits, 0, network, sol, usd
      from carried
      where user_id is not null and (network <> 0 or sol <> 0 or usd <> 0)
        and not exists (select from ring where ring.user_id = carried.user_id)
    ),
    kept as (
      insert into missed (${columns})
      select user_id, waits, ${each((figure) => sql`sum(${sql.ref(figure)})`)}
      from carried where user_id is not null group by user_id, waits
    )
    select (
      select jsonb_build_object('userId', user_id, 'waits', waits) from piece order by user_id desc, waits desc limit 1
    ) as last`,
  );
  return piece?.last ?? undefined;
}

/** Adds to each member of a circle what all other members have themselves and below them. */
export async function carryAroundRings(tx: Tx) {
  await sql`
    with waiting as materialized (
      select user_id, sum(members) as network, sum(volume_sol) as sol, sum(volume_usd) as usd
      from team_delta where exists (select from ring where ring.user_id = team_delta.user_id) group by user_id
    ),
    member as materialized (
      select ring.ring_id, ring.user_id, 1 + coalesce(team.total_network, 0) - coalesce(waiting.network, 0) as network,
        staked.sol + coalesce(team.volume_sol, 0) - coalesce(waiting.sol, 0) as sol,
        staked.usd + coalesce(team.volume_usd, 0) - coalesce(waiting.usd, 0) as usd,
        waiting.network as network_waits, waiting.sol as sol_waits, waiting.usd as usd_waits
      from ring left join team on team.user_id = ring.user_id left join waiting on waiting.user_id = ring.user_id
      cross join lateral (${stakedBy(sql`ring.user_id`)}) as staked
    ),
    part as (
      select ring_id, user_id, false as waits, -network as network, -sol as sol, -usd as usd from member
      union all
      select ring_id, user_id, true, network_waits, sol_waits, usd_waits from member where network_waits is not null
      union all
      select ring.ring_id, user_id, waits, network, sol, usd from ring join missed using (user_id)
    ),
    own as (
      select ring_id, user_id, waits, sum(network) as network, sum(sol) as sol, sum(usd) as usd
      from part group by ring_id, user_id, waits
    ),
    whole as (
      select ring_id, waits, sum(network) as network, sum(sol) as sol, sum(usd) as usd from own group by ring_id, waits
    )
    insert into missed (${columns})
    select ring.user_id, whole.waits, 0, whole.network - coalesce(own.network, 0), whole.sol - coalesce(own.sol, 0),
      whole.usd - coalesce(own.usd, 0)
    from ring join whole using (ring_id)
    left join own on own.user_id = ring.user_id and own.waits = whole.waits`.execute(tx);
}

type Corrected = Record<'users' | (typeof figures)[number], bigint> & { last: string | null };

/** Stores the corrections of the next users with wrong counters, and returns how many there are. */
export async function insertCorrections(tx: Tx, reportId: string, after: string) {
  const [corrected] = await runQuery<Corrected>(
    tx,
    sql`
    with wrong as materialized (
      select user_id,
        ${each((figure) => sql`coalesce(sum(${sql.ref(figure)}) filter (where not waits), 0) as ${sql.ref(figure)}`)},
        ${each((figure) => sql`coalesce(sum(${sql.ref(figure)}) filter (where waits), 0) as ${sql.ref(`${figure}_waits`)}`)}
      from missed where user_id > ${after}::uuid
      group by user_id
      having ${each((figure) => sql`sum(${sql.ref(figure)}) filter (where not waits) <> 0`, sql` or `)}
      order by user_id limit ${sql.lit(correctedAtOnce)}
    ),
    stored as (
      select wrong.*, coalesce(team.referral_count, 0) + referrals_waits as stored_referrals,
        coalesce(team.total_network, 0) + network_waits as stored_network,
        coalesce(team.volume_sol, 0) + sol_waits as stored_sol, coalesce(team.volume_usd, 0) + usd_waits as stored_usd
      from wrong left join team on team.user_id = wrong.user_id
    ),
    kept as (
      insert into referral_correction (report_id, user_id, ${each((figure) => sql.ref(`stored_${figure}`))},
        ${each((figure) => sql.ref(`tree_${figure}`))})
      select ${reportId}::uuid, user_id, ${each((figure) => sql.ref(`stored_${figure}`))},
        ${each((figure) => sql`${sql.ref(`stored_${figure}`)} - ${sql.ref(figure)}`)}
      from stored
    )
    select count(*) as users, ${each((figure) => sql`count(*) filter (where ${sql.ref(figure)} <> 0) as ${sql.ref(figure)}`)},
      (select user_id from wrong order by user_id desc limit 1) as last
    from wrong`,
  );
  if (!corrected) throw new Error('The database gave no answer.');
  return corrected;
}

/** Hashes every figure of every correction, in the order of the users. */
export async function digestCorrections(db: Db, reportId: string) {
  const digest = createHash('sha256');
  for (let after: string | undefined = beforeAll; after !== undefined; ) {
    const [piece]: { last: string | null; lines: string | null }[] = await runQuery(
      db,
      sql`
      with piece as materialized (
        select * from referral_correction where report_id = ${reportId}::uuid and user_id > ${after}::uuid
        order by user_id limit ${sql.lit(correctedAtOnce)}
      )
      select (select user_id from piece order by user_id desc limit 1) as last,
        encode(sha256(convert_to(string_agg(concat_ws(' ', user_id, ${each((figure) => sql.ref(`stored_${figure}`))},
          ${each((figure) => sql.ref(`tree_${figure}`))}), E'\n' order by user_id), 'UTF8')), 'hex') as lines
      from piece`,
    );
    if (piece?.lines) digest.update(piece.lines);
    after = piece?.last ?? undefined;
  }
  return digest.digest('hex');
}

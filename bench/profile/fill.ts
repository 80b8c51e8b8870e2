import type { Database, Pool } from '../../server/src/core/db/db.ts';
import { foldTeams } from '../../server/src/features/users/team-jobs.ts';

export type Owner = { pool: Pool; database: Database };

/** Ids are fixed, so that no query has to find them. */
const idOf = (kind: number, n: number) => `019c0000-0000-7000-${8000 + kind}-${n.toString(16).padStart(12, '0')}`;
const idInSql = (kind: number, n: string) =>
  `('019c0000-0000-7000-${8000 + kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

const kinds = { large: 0, small: 1, chainInLarge: 2, chainAlone: 3 } as const;
export const levels = 30;
export const smallTeam = 10;

export const users = {
  large: idOf(kinds.large, 0),
  small: idOf(kinds.small, 0),
  footInLarge: idOf(kinds.chainInLarge, levels),
  footAlone: idOf(kinds.chainAlone, levels),
};

type Branch = { kind: number; from: number; to: number; sponsor: string };

/** Inserts members `from` to `to` of a kind; `sponsor` is the SQL expression for the sponsor of member n. */
const insertBranch = ({ kind, from, to, sponsor }: Branch) => `
  insert into platform_user (id, user_id, username, wallet, sol_wallet_address, referral_code, sponsor_id, rank, created_at)
  select ${idInSql(kind, 'n')}, 'U-${kind}-' || n, 'member.${kind}.' || n, md5('wallet ${kind} ' || n),
    md5('sol ${kind} ' || n), 'R${kind}X' || n, ${sponsor},
    (enum_range(null::user_rank))[1 + (hashint8(n) & 3)], timestamptz '2024-01-01' + n * interval '30 seconds'
  from generate_series(${from}::bigint, ${to}::bigint) as n`;

const batch = 50_000;

/** Every tenth member is referred by the user at the top, the others by any earlier member. */
const anyoneBefore = `case when n % 10 = 0 then ${idInSql(kinds.large, '0')}
  else ${idInSql(kinds.large, '(hashint8extended(n, 1) & 2147483647) % n')} end`;

export async function fillTeams(owner: Owner, size: number) {
  const { pool } = owner;
  const restoreIndexes = await setIndexesAside(pool);
  for (const kind of [kinds.large, kinds.small, kinds.chainAlone]) {
    await pool.query(insertBranch({ kind, from: 0, to: 0, sponsor: 'null' }));
  }
  for (let from = 1; from <= size; from += batch) {
    const to = Math.min(size, from + batch - 1);
    await pool.query(insertBranch({ kind: kinds.large, from, to, sponsor: anyoneBefore }));
  }
  await pool.query(insertBranch({ kind: kinds.small, from: 1, to: smallTeam, sponsor: `'${users.small}'` }));
  await pool.query(
    insertBranch({
      kind: kinds.chainInLarge,
      from: 1,
      to: levels,
      sponsor: `case when n = 1 then '${users.large}' else ${idInSql(kinds.chainInLarge, 'n - 1')} end`,
    }),
  );
  const above = idInSql(kinds.chainAlone, 'n - 1');
  await pool.query(insertBranch({ kind: kinds.chainAlone, from: 1, to: levels, sponsor: above }));
  await pool.query(`
    insert into team_delta (user_id, members, volume_sol, volume_usd)
    select id, 0, hashint8(abs(hashtext(user_id))) & 1048575, 1000000 from platform_user where hashtext(user_id) % 5 = 0`);
  await restoreIndexes();
  await pool.query('vacuum (analyze) platform_user');
}

/** Folds all deltas with the production job. */
export async function foldEverything({ pool, database }: Owner) {
  const deltas = await countDeltas(pool);
  const started = performance.now();
  while ((await countDeltas(pool)) > 0) await foldTeams(database);
  const ms = Math.round(performance.now() - started);
  await pool.query('vacuum (analyze) team, team_delta');
  // Flush dirty pages now, or they are written during the measurement.
  await pool.query('checkpoint');
  return { deltas, ms };
}

async function countDeltas(pool: Pool) {
  const { rows } = await pool.query<{ left: bigint }>('select count(*) as left from team_delta');
  return Number(rows[0]?.left);
}

/** Fails unless the stored teams match a recursive count, for the two compared users and a sample of others. */
export async function assertTeams({ pool }: Owner) {
  const { rows } = await pool.query<{ wrong: bigint }>(`
    with recursive sample (id) as (
      select unnest(array['${users.large}', '${users.small}']::uuid[])
      union (select id from platform_user where hashtext(user_id) % 5003 = 0 limit 20)
    ),
    below (top, id, level) as (
      select id, id, 0 from sample
      union all
      select below.top, member.id, level + 1 from below join platform_user as member on member.sponsor_id = below.id
    ),
    counted as (
      select top, count(*) filter (where level > 0) as network, count(*) filter (where level = 1) as direct
      from below group by top
    )
    select count(*) as wrong from counted left join team on team.user_id = counted.top
    where (coalesce(team.total_network, 0), coalesce(team.referral_count, 0)) is distinct from (network, direct)`);
  if (rows[0]?.wrong !== 0n) throw new Error(`${rows[0]?.wrong} teams are not what stands below them.`);
}

/** Drops the indexes and returns a function that recreates them: maintaining them during the fill takes minutes. */
async function setIndexesAside(pool: Pool) {
  const { rows } = await pool.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = 'platform_user'::regclass and not indisunique`);
  for (const { name } of rows) await pool.query(`drop index ${name}`);
  return async () => {
    for (const { definition } of rows) await pool.query(`set maintenance_work_mem = '256MB'; ${definition}`);
  };
}

import type { ProblemCode } from 'contract/imports.ts';
import { type RawBuilder, sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import type { ImportFile, Part } from './files.ts';

type Check = {
  part: Part;
  field: string;
  code: ProblemCode;
  /** SQL for the rows: `row` and `value`. */
  rows: RawBuilder<unknown>;
};

/** Rows that have the same value as an earlier row. */
const repeated = (table: string, ...values: RawBuilder<unknown>[]) => sql`
  select row, value from (
    select row, ${values[0]}::text as value, row_number() over (partition by ${sql.join(values)} order by row) as no
    from ${sql.table(table)} where ${values[0]} is not null
  ) as numbered where no > 1`;

/** Rows whose value a row of Bursar has. */
const taken = (table: string, value: RawBuilder<unknown>, existing: RawBuilder<unknown>) => sql`
  select row, ${value}::text as value from ${sql.table(table)} as it where ${value} in (${existing})`;

const withoutUser = (table: string) => sql`
  select row, user_id as value from ${sql.table(table)} as it
  where user_id is not null and not exists (select from import_user where id = it.owner_id)`;

/**
 * SQL for what the owner of `it` has in dollars. It is null if a balance of the owner could not be read, so that one
 * problem is not listed as two.
 */
const funds = sql`(
  select case when bool_or(units is null or asset is null) then null else coalesce(sum(units) filter (where asset = 'USD'), 0) end
  from import_balance as balance where balance.owner_id = it.owner_id)`;

/** The wallets of a user are one or two addresses. No other user may have either. */
const wallets = (table: string, where: RawBuilder<unknown>) => sql`
  select wallet, id from ${sql.table(table)} where ${where}
  union
  select sol_wallet_address, id from ${sql.table(table)} where ${where}`;

const checks: Check[] = [
  { part: 'users', field: 'userId', code: 'UserTwice', rows: repeated('import_user', sql`user_id`) },
  {
    part: 'users',
    field: 'userId',
    code: 'UserExists',
    rows: taken('import_user', sql`user_id`, sql`select user_id from platform_user`),
  },
  { part: 'users', field: 'username', code: 'UsernameTwice', rows: repeated('import_user', sql`lower(username)`) },
  {
    part: 'users',
    field: 'username',
    code: 'UsernameTaken',
    rows: taken(
      'import_user',
      sql`lower(username)`,
      sql`select lower(username) from platform_user where retired_at is null`,
    ),
  },
  { part: 'users', field: 'referralCode', code: 'CodeTwice', rows: repeated('import_user', sql`referral_code`) },
  {
    part: 'users',
    field: 'referralCode',
    code: 'CodeTaken',
    rows: taken('import_user', sql`referral_code`, sql`select referral_code from platform_user`),
  },
  {
    part: 'users',
    field: 'wallet',
    code: 'WalletTwice',
    rows: sql`
      with used as (${wallets('import_user', sql`wallet is not null`)}),
      doubled as (select wallet from used group by wallet having count(*) > 1)
      select row, doubled.wallet as value from (
        select row, doubled.wallet, row_number() over (partition by doubled.wallet order by row) as no
        from import_user join doubled on doubled.wallet in (import_user.wallet, import_user.sol_wallet_address)
      ) as doubled where no > 1`,
  },
  {
    part: 'users',
    field: 'wallet',
    code: 'WalletTaken',
    rows: sql`
      with used as (${wallets('platform_user', sql`retired_at is null`)})
      select row, used.wallet as value from import_user join used
        on used.wallet in (import_user.wallet, import_user.sol_wallet_address)`,
  },
  {
    part: 'users',
    field: 'sponsor',
    code: 'SponsorUnknown',
    rows: sql`
      select row, sponsor as value from import_user as it
      where sponsor is not null and not exists (select from import_user where user_id = it.sponsor)
        and not exists (select from platform_user where user_id = it.sponsor)`,
  },
  { part: 'balances', field: 'userId', code: 'UserUnknown', rows: withoutUser('import_balance') },
  {
    part: 'balances',
    field: 'asset',
    code: 'BalanceTwice',
    rows: repeated('import_balance', sql`asset`, sql`owner_id`),
  },
  { part: 'stakes', field: 'userId', code: 'UserUnknown', rows: withoutUser('import_stake') },
  { part: 'stakes', field: 'stakeId', code: 'StakeTwice', rows: repeated('import_stake', sql`stake_id`) },
  {
    part: 'stakes',
    field: 'stakeId',
    code: 'StakeExists',
    rows: taken('import_stake', sql`stake_id`, sql`select stake_id from stake`),
  },
  {
    part: 'stakes',
    field: 'days',
    code: 'PlanUnknown',
    rows: sql`
      select row, days || ' days at ' || trim_scale(daily_rate_ppm / 10000.0) || '%' as value from import_stake as it
      where not exists (
        select from stake_plan where stake_plan.days = it.days and stake_plan.daily_rate_ppm = it.daily_rate_ppm
      ) and days is not null and daily_rate_ppm is not null`,
  },
  {
    part: 'stakes',
    field: 'amountUsd',
    code: 'NoFunds',
    // The stakes and withdrawals take the funds in the order of their rows, stakes first.
    rows: sql`
      select row, needed::text as value from (
        select row, amount_usd, owner_id, sum(amount_usd) over (partition by owner_id order by row) as needed
        from import_stake where status = 'Active'
      ) as it
      where needed > ${funds}`,
  },
  { part: 'withdrawals', field: 'userId', code: 'UserUnknown', rows: withoutUser('import_withdrawal') },
  {
    part: 'withdrawals',
    field: 'withdrawalId',
    code: 'WithdrawalTwice',
    rows: repeated('import_withdrawal', sql`withdrawal_id`),
  },
  {
    part: 'withdrawals',
    field: 'signature',
    code: 'SignatureTwice',
    rows: repeated('import_withdrawal', sql`signature`),
  },
  {
    part: 'withdrawals',
    field: 'signature',
    code: 'SignatureTaken',
    rows: taken(
      'import_withdrawal',
      sql`signature`,
      sql`select reference from withdrawal where reference is not null and id not in (select id from import_withdrawal)`,
    ),
  },
  {
    part: 'withdrawals',
    field: 'withdrawalId',
    code: 'WithdrawalExists',
    rows: sql`select row, withdrawal_id as value from import_withdrawal where id in (select id from withdrawal)`,
  },
  {
    part: 'withdrawals',
    field: 'amountUsd',
    code: 'NoFunds',
    rows: sql`
      select row, needed::text as value from (
        select row, owner_id, sum(amount_usd) over (partition by owner_id order by row) as needed
        from import_withdrawal where status = 'Pending'
      ) as it
      where needed > ${funds} - coalesce((
          select sum(amount_usd) from import_stake as stake
          where stake.owner_id = it.owner_id and stake.status = 'Active'), 0)`,
  },
  { part: 'tickets', field: 'userId', code: 'UserUnknown', rows: withoutUser('import_ticket') },
  { part: 'tickets', field: 'ticketId', code: 'TicketTwice', rows: repeated('import_ticket', sql`ticket_id`) },
  {
    part: 'tickets',
    field: 'ticketId',
    code: 'TicketExists',
    rows: sql`select row, ticket_id as value from import_ticket where id in (select id from ticket)`,
  },
];

/** An import adds less than this to any sum, so that no sum of the ledger overflows. */
const largestSum = 2n ** 62n;

const sumCheck: Check = {
  part: 'balances',
  field: 'amount',
  code: 'SumTooLarge',
  rows: sql`
    select max(row) as row, asset::text as value from import_balance
    group by asset having sum(units) > ${sql.lit(largestSum.toString())}::numeric`,
};

/** Compares the staged rows with each other and with Bursar, and records every problem. */
export async function checkTogether(tx: Tx, files: readonly ImportFile[]) {
  await sql`set local work_mem = '256MB'`.execute(tx);
  await findKnownSponsors(tx);
  for (const check of [...checks, sumCheck]) await record(tx, files, check);
  await checkSponsorChains(tx, files);
}

async function record(tx: Tx, files: readonly ImportFile[], { part, field, code, rows }: Check) {
  const file = files.find((one) => one.part === part);
  if (!file) return;
  await sql`
    insert into import_problem (file, row, field, code, value)
    select ${file.name}, row, ${field}, ${code}, value from (${rows}) as found`.execute(tx);
}

/** A sponsor whom Bursar has and the file has not keeps the id that Bursar gave. */
export async function findKnownSponsors(tx: Tx) {
  await sql`
    update import_user as it set sponsor_id = known.id
    from platform_user as known
    where known.user_id = it.sponsor and known.id <> it.sponsor_id
      and not exists (select from import_user as other where other.id = it.sponsor_id)`.execute(tx);
}

/** The profile and the team figures follow this many sponsors. */
const longestChain = 1_000;

/**
 * Visits all users below those whose sponsor is not in the file. A user who is not visited is in a loop, or below one.
 */
async function checkSponsorChains(tx: Tx, files: readonly ImportFile[]) {
  await sql`
    create temporary table reached on commit drop as
    with recursive tree (id, level) as (
      select id, 0 from import_user as it
      where not exists (select from import_user as above where above.id = it.sponsor_id)
      -- Not all: a user ID that is there twice would double everyone below it at every level.
      union
      select below.id, level + 1 from tree join import_user as below on below.sponsor_id = tree.id
      where level <= ${sql.lit(longestChain)}
    )
    select id, max(level) as level from tree group by id`.execute(tx);
  await sql`analyze reached`.execute(tx);
  await record(tx, files, {
    part: 'users',
    field: 'sponsor',
    code: 'ChainTooLong',
    rows: sql`
      select row, sponsor as value from import_user join reached using (id) where level = ${sql.lit(longestChain + 1)}`,
  });
  await record(tx, files, {
    part: 'users',
    field: 'sponsor',
    code: 'SponsorCircle',
    // Everyone below a chain that is too long is not reached either.
    rows: sql`
      select row, sponsor as value from import_user as it
      where id is not null and not exists (select from reached where reached.id = it.id)
        and not exists (select from reached where level = ${sql.lit(longestChain + 1)})`,
  });
}

/** Whether the check found a problem. */
export async function hasProblems(db: Db) {
  const [found] = await runQuery<{ exists: boolean }>(db, sql`select exists (select from import_problem)`);
  return found?.exists ?? false;
}

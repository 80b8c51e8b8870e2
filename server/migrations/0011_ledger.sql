-- SHARE counts the shares by which GMP is distributed; what an asset's smallest unit is stands in contract/src/money.ts.
create type asset as enum ('USD', 'SOL', 'GMP', 'SLX', 'SHARE');

-- Everyone has the accounts up to 'held'; those after it are the house's.
create type ledger_account as enum (
  'available', 'staked', 'held',
  'treasury', 'outside', 'stake_rewards', 'loyalty', 'gmp_pool', 'referral_bonuses', 'rank_bonuses', 'task_rewards',
  'adjustments'
);

create type transfer_kind as enum (
  'deposit', 'stake', 'stake-base', 'stake-bonus', 'stake-loyalty', 'loyalty', 'gmp', 'referral', 'rank-bonus', 'task',
  'withdrawal', 'adjustment', 'funding'
);

-- Paid once, whenever that is; the others are paid for a day.
create function paid_once(kind transfer_kind) returns boolean
language sql immutable parallel safe
return kind in ('deposit', 'stake', 'referral', 'task', 'withdrawal', 'adjustment', 'funding');

create sequence transfer_number cache 100;

create table transfer (
  id bigint not null default nextval('transfer_number'),
  -- What it is for, in UTC: the day that is paid out, the Monday of the week; else the day on which it was posted.
  day date not null,
  at timestamptz not null default now(),
  kind transfer_kind not null,
  -- The stake, withdrawal, task, adjustment or run that it was posted for; of a distribution, the user.
  cause_id uuid not null,
  -- Which of the transfers of its cause: 0 asks for a withdrawal and 1 settles it.
  part integer not null check (part >= 0),
  -- Whose available, staked or held it moves; nobody's, where the house moves its own.
  user_id uuid,
  asset asset not null,
  debit ledger_account not null,
  credit ledger_account not null,
  units bigint not null check (units > 0),
  -- The transfer that this one takes back.
  reverses bigint,
  reverses_day date,
  primary key (day, id),
  check ((reverses is null) = (reverses_day is null)),
  -- Only what has its key in transfer_once can be taken back for another day: the others are found by their day.
  check (reverses_day = day or paid_once(kind)),
  check (debit <> credit),
  check ((user_id is not null) = (debit <= 'held' or credit <= 'held')),
  -- Stakes and withdrawals are in dollars; what was paid in for a stake in SOL is not kept for anyone.
  check (asset = 'USD' or (debit not in ('staked', 'held') and credit not in ('staked', 'held'))),
  check (asset <> 'SOL' or user_id is null),
  -- A reward has the asset of its account: what ever came from there is a sum of one kind.
  check (asset = 'GMP' or 'gmp_pool' not in (debit, credit)),
  check (asset = 'USD' or debit not in ('stake_rewards', 'loyalty', 'referral_bonuses', 'rank_bonuses', 'task_rewards')),
  check (asset = 'USD' or credit not in ('stake_rewards', 'loyalty', 'referral_bonuses', 'rank_bonuses', 'task_rewards'))
) partition by range (day);
comment on table transfer is 'owner: ledger. Append-only.';

-- What makes a second payment impossible. The day of a run's transfer follows from what is paid for, and a reversal of
-- it is for the same day, so the same payment always meets its own key again. What is paid once, whenever that is, has
-- its key in transfer_once.
create unique index transfer_key on transfer (day, kind, cause_id, part) where reverses is null;
create unique index transfer_reversed_once on transfer (day, reverses) where reverses is not null;
create index transfer_by_kind on transfer (kind, day, id);
create index transfer_by_user on transfer (user_id, day, id) where user_id is not null;

create table transfer_once (
  kind transfer_kind not null,
  cause_id uuid not null,
  part integer not null,
  reverses boolean not null,
  day date not null,
  transfer_id bigint not null,
  primary key (kind, cause_id, part, reverses)
);
comment on table transfer_once is 'owner: ledger. Append-only; written by a trigger of transfer alone.';

create trigger transfer_is_append_only before update or delete on transfer
for each row execute function stop_rewriting();
create trigger transfer_is_never_emptied before truncate on transfer
for each statement execute function stop_rewriting();
create trigger transfer_once_is_append_only before update or delete or truncate on transfer_once
for each statement execute function stop_rewriting();

-- A month that is missing would stop every payment in it. The worker asks for the months to come; it owns no table.
create function prepare_transfer_month(month date) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
-- Everyone who posts waits behind it: there is half a year to try again.
set lock_timeout = '2s' as $$
declare
  begins date := date_trunc('month', month);
  name text := 'public.transfer_' || to_char(month, 'YYYY_MM');
begin
  if to_regclass(name) is not null then return; end if;
  if month > now() + interval '1 year' then raise exception '% is too far ahead', month; end if;
  execute format('create table %s partition of public.transfer for values from (%L) to (%L)',
    name, begins, begins + interval '1 month');
  execute format('create trigger transfer_is_never_emptied before truncate on %s
    for each statement execute function public.stop_rewriting()', name);
end
$$;
revoke execute on function prepare_transfer_month from public;
grant execute on function prepare_transfer_month to bursar_worker;

-- What was before this month came with whoever moved here, and is not more than a part can hold.
do $$
declare
  this_month date := date_trunc('month', now() at time zone 'UTC');
begin
  execute format('create table %s partition of transfer for values from (minvalue) to (%L)', 'transfer_earlier', this_month);
  for ahead in 0..6 loop
    perform prepare_transfer_month((this_month + ahead * interval '1 month')::date);
  end loop;
end
$$;
create trigger transfer_is_never_emptied before truncate on transfer_earlier
for each statement execute function stop_rewriting();

-- Running totals of a person's money, in smallest units: kept by the trigger of transfer, in its transaction.
create table user_total (
  user_id uuid primary key references platform_user,
  -- What they have.
  available_usd bigint not null default 0 check (available_usd >= 0),
  staked_usd bigint not null default 0 check (staked_usd >= 0),
  withdrawing_usd bigint not null default 0 check (withdrawing_usd >= 0),
  available_gmp bigint not null default 0 check (available_gmp >= 0),
  slx bigint not null default 0 check (slx >= 0),
  gmp_shares bigint not null default 0 check (gmp_shares >= 0),
  -- What they ever got, paid in and took out.
  referral_bonus_usd bigint not null default 0,
  gmp_earnings bigint not null default 0,
  weekly_rank_bonus_usd bigint not null default 0,
  staked_earned_usd bigint not null default 0,
  task_rewards_usd bigint not null default 0,
  deposit_usd bigint not null default 0,
  withdrawn_usd bigint not null default 0
);
comment on table user_total is 'owner: ledger. Written by triggers alone.';

-- Each statement appends what it moved; a job folds the rows together. A row that all would update stops everyone.
create table ledger_balance (
  -- Of a user's account: all users together.
  account ledger_account not null,
  asset asset not null,
  units bigint not null
);
comment on table ledger_balance is 'owner: ledger. A balance is the sum of units.';

create table transfer_count (
  kind transfer_kind not null,
  delta bigint not null
);
comment on table transfer_count is 'owner: ledger. The total is the sum of delta.';

-- Everyone has totals, so that a transfer that meets none is one for nobody.
create function user_total_begins() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into user_total (user_id) select id from added;
  return null;
end
$$;
create trigger user_total_begins after insert on platform_user
referencing new table as added for each statement execute function user_total_begins();

-- What a transfer adds to an account.
create function gained(account ledger_account, debit ledger_account, credit ledger_account, units bigint) returns bigint
language sql immutable parallel safe
return case account when credit then units when debit then -units else 0 end;

-- What a transfer between these two adds to what ever came from the one to the other.
create function came(
  source ledger_account, target ledger_account, debit ledger_account, credit ledger_account, units bigint
) returns bigint
language sql immutable parallel safe
return case when debit = source and credit = target then units when debit = target and credit = source then -units else 0 end;

-- Kept where no code can forget it: whoever posts a transfer has moved the balances.
create function transfer_posted() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  people bigint;
  moved bigint;
begin
  insert into transfer_once (kind, cause_id, part, reverses, day, transfer_id)
  select kind, cause_id, part, reverses is not null, day, id from posted
  where paid_once(kind);

  insert into transfer_count (kind, delta) select kind, count(*) from posted group by kind;

  insert into ledger_balance (account, asset, units)
  select account, asset, sum(units)
  from (
    select credit as account, asset, units from posted
    union all
    select debit, asset, -units from posted
  ) as side
  group by account, asset
  having sum(units) <> 0;

  select count(distinct user_id) into people from posted where user_id is not null;
  if people = 0 then return null; end if;
  update user_total as total set
    available_usd = total.available_usd + by_user.available_usd,
    staked_usd = total.staked_usd + by_user.staked_usd,
    withdrawing_usd = total.withdrawing_usd + by_user.withdrawing_usd,
    available_gmp = total.available_gmp + by_user.available_gmp,
    slx = total.slx + by_user.slx,
    gmp_shares = total.gmp_shares + by_user.gmp_shares,
    referral_bonus_usd = total.referral_bonus_usd + by_user.referral_bonus_usd,
    gmp_earnings = total.gmp_earnings + by_user.gmp_earnings,
    weekly_rank_bonus_usd = total.weekly_rank_bonus_usd + by_user.weekly_rank_bonus_usd,
    staked_earned_usd = total.staked_earned_usd + by_user.staked_earned_usd,
    task_rewards_usd = total.task_rewards_usd + by_user.task_rewards_usd,
    deposit_usd = total.deposit_usd + by_user.deposit_usd,
    withdrawn_usd = total.withdrawn_usd + by_user.withdrawn_usd
  from (
    select user_id,
      coalesce(sum(gained('available', debit, credit, units)) filter (where asset = 'USD'), 0) as available_usd,
      sum(gained('staked', debit, credit, units)) as staked_usd,
      sum(gained('held', debit, credit, units)) as withdrawing_usd,
      coalesce(sum(gained('available', debit, credit, units)) filter (where asset = 'GMP'), 0) as available_gmp,
      coalesce(sum(gained('available', debit, credit, units)) filter (where asset = 'SLX'), 0) as slx,
      coalesce(sum(gained('available', debit, credit, units)) filter (where asset = 'SHARE'), 0) as gmp_shares,
      sum(came('referral_bonuses', 'available', debit, credit, units)) as referral_bonus_usd,
      sum(came('gmp_pool', 'available', debit, credit, units)) as gmp_earnings,
      sum(came('rank_bonuses', 'available', debit, credit, units)) as weekly_rank_bonus_usd,
      sum(came('stake_rewards', 'available', debit, credit, units)
        + came('loyalty', 'available', debit, credit, units)) as staked_earned_usd,
      sum(came('task_rewards', 'available', debit, credit, units)) as task_rewards_usd,
      coalesce(sum(came('outside', 'available', debit, credit, units)) filter (where asset = 'USD'), 0) as deposit_usd,
      sum(came('held', 'outside', debit, credit, units)) as withdrawn_usd
    from posted where user_id is not null group by user_id
  ) as by_user
  where total.user_id = by_user.user_id;
  get diagnostics moved = row_count;
  if moved <> people then
    raise exception 'a transfer names a user who does not exist' using errcode = 'BU003';
  end if;
  return null;
end
$$;
create trigger transfer_posted after insert on transfer
referencing new table as posted for each statement execute function transfer_posted();

grant select, insert on transfer to bursar_app, bursar_worker;
grant usage on sequence transfer_number to bursar_app, bursar_worker;
grant select on user_total, ledger_balance, transfer_count, transfer_once to bursar_app, bursar_worker;
grant insert, delete on ledger_balance, transfer_count to bursar_worker;
grant select on transfer, transfer_once, user_total, ledger_balance, transfer_count to bursar_auditor;

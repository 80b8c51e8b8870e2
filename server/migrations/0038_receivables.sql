-- Adjustments are funded by the treasury, like every other payment: until now they came from an account that nobody
-- funds. The treasury holds dollars and GMP; shares and points are issued, and still come from that account.

-- Transfers are never changed, so those before this migration keep the account that they came from.
do $$
begin
  execute format(
    'alter table transfer add constraint transfer_adjustment_is_funded check (
      kind <> ''adjustment'' or user_id is null or coalesce(reverses, id) <= %s
      or (asset in (''USD'', ''GMP'')) = (''treasury'' in (debit, credit))
    )',
    (select coalesce(max(id), 0) from transfer)
  );
end
$$;

-- A user who has spent a payment that is reversed owes it: the reversal takes what is available and books the rest on
-- their receivable account. It has the place of a user's account in the order that the checks of transfer rely on. A
-- value that this transaction adds to a type cannot be used in it, so below it stands only in the text of functions.
-- PostgreSQL reads those of transfer when it plans a query on it, so no such query may follow in this transaction.
alter type ledger_account add value 'receivable' before 'held';
alter type transfer_kind add value 'receivable' before 'funding';

-- The account that is adjusted, and the one on the other side. What was posted keeps its accounts, and what waits is
-- posted by the new rule.
alter table adjustment
  add column account ledger_account,
  add column other_account ledger_account;
alter table adjustment disable trigger user;
update adjustment set account = case when user_id is null then 'treasury' else 'available' end::ledger_account,
  other_account = case
    when user_id is null then 'outside'
    when posted_at is not null or asset in ('SLX', 'SHARE') then 'adjustments'
    else 'treasury'
  end::ledger_account;
alter table adjustment enable trigger user;
alter table adjustment enable always trigger unverified_cause_inserted, enable always trigger unverified_cause_updated;
alter table adjustment
  alter column account set not null,
  alter column other_account set not null,
  -- An adjustment of a receivable writes it off.
  add constraint adjustment_accounts_check check (
    case
      when user_id is null then account = 'treasury' and other_account = 'outside'
      when account::text = 'receivable' then other_account = 'treasury' and asset in ('USD', 'GMP') and units > 0
      else account = 'available' and other_account in ('treasury', 'adjustments')
    end
  );

create or replace function adjustment_stays_posted() returns trigger
language plpgsql as $$
begin
  if old.posted_at is not null
    or to_jsonb(old) - 'posted_at' is distinct from to_jsonb(new) - 'posted_at' then
    raise exception 'an adjustment is posted once, as it was made' using errcode = 'BU002';
  end if;
  return new;
end
$$;

set local check_function_bodies = off;
create or replace function connects(kind transfer_kind, debit ledger_account, credit ledger_account) returns boolean
language sql immutable parallel safe as $$
  select case kind
    when 'deposit' then debit = 'outside' and credit in ('available', 'treasury')
    when 'stake' then debit = 'available' and credit = 'staked' or debit = 'staked' and credit = 'available'
    when 'stake-base' then debit = 'stake_rewards' and credit = 'available'
    when 'stake-bonus' then debit = 'stake_rewards' and credit = 'available'
    when 'stake-loyalty' then debit = 'treasury' and credit = 'loyalty'
    when 'loyalty' then debit = 'loyalty' and credit = 'available'
    when 'gmp' then debit = 'gmp_pool' and credit = 'available'
    when 'referral' then debit = 'referral_bonuses' and credit = 'available'
    when 'rank-bonus' then debit = 'rank_bonuses' and credit = 'available'
    when 'task' then debit = 'task_rewards' and credit = 'available'
    when 'withdrawal' then debit = 'available' and credit = 'held' or debit = 'held' and credit in ('outside', 'available')
    when 'adjustment' then debit in ('treasury', 'adjustments') and credit = 'available'
      or debit = 'available' and credit in ('treasury', 'adjustments')
      or debit = 'outside' and credit = 'treasury' or debit = 'treasury' and credit in ('outside', 'receivable')
    when 'receivable' then debit = 'receivable' and credit = 'available' or debit = 'available' and credit = 'receivable'
    -- A run that reverses returns the funding of the run that it reverses, as a transfer of its own.
    when 'funding' then 'treasury' in (debit, credit)
      and (debit in ('stake_rewards', 'gmp_pool', 'referral_bonuses', 'rank_bonuses', 'task_rewards')
        or credit in ('stake_rewards', 'gmp_pool', 'referral_bonuses', 'rank_bonuses', 'task_rewards'))
    -- A check passes if its result is null, so a kind without a rule must not end up here without one.
    else false
  end
$$;

set local check_function_bodies = on;

-- A receivable is booked once, and settled once by each payment. The kinds that are paid for a day are listed instead,
-- because PostgreSQL reads this function whenever a query on transfer is planned, also in this transaction.
create or replace function paid_once(kind transfer_kind) returns boolean
language sql immutable parallel safe
return kind not in ('stake-base', 'stake-bonus', 'stake-loyalty', 'loyalty', 'gmp', 'rank-bonus');

-- What a reversal could not take from a user, or, below zero, what a run settled of it when it paid the user again: the
-- cause of the transfer from or to their receivable account.
create table receivable (
  id uuid primary key default uuid_v7(),
  run_id uuid not null references run,
  user_id uuid not null references platform_user,
  asset asset not null check (asset in ('USD', 'GMP')),
  units bigint not null check (units <> 0),
  booked_at timestamptz not null default now(),
  unique (run_id, user_id)
);
create index receivable_by_user on receivable (user_id);
comment on table receivable is 'owner: ledger. Append-only.';
create trigger receivable_is_append_only before update or delete or truncate on receivable
for each statement execute function stop_rewriting();
create trigger unverified_cause_inserted after insert on receivable
referencing new table as changed for each statement execute function unverified_cause_added('receivable');
alter table receivable enable always trigger unverified_cause_inserted;

-- Users owe what they were paid, in dollars or GMP.
alter table transfer add constraint transfer_receivable_asset_check check (
  asset in ('USD', 'GMP') or 'receivable' not in (debit::text, credit::text)
);
alter table user_total
  add column receivable_usd bigint not null default 0 check (receivable_usd >= 0),
  add column receivable_gmp bigint not null default 0 check (receivable_gmp >= 0);
-- Nobody owed anything at the last verification.
alter table verified_total
  add column receivable_usd bigint not null default 0,
  add column receivable_gmp bigint not null default 0;
alter table verified_total alter column receivable_usd drop default, alter column receivable_gmp drop default;

create or replace function lock_balances(run_id uuid, day date, after_user uuid, to_user uuid) returns setof user_total
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select total.* from user_total as total
  where total.user_id in (
    select line.user_id from run_line as line
    where line.run_id = $1 and line.day = $2 and line.user_id > $3 and line.user_id <= $4 and line.skip is null
  )
  order by total.user_id for update;
end;

create or replace function transfer_posted() returns trigger
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
    withdrawn_usd = total.withdrawn_usd + by_user.withdrawn_usd,
    receivable_usd = total.receivable_usd + by_user.receivable_usd,
    receivable_gmp = total.receivable_gmp + by_user.receivable_gmp
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
      sum(came('held', 'outside', debit, credit, units)) as withdrawn_usd,
      -- What a user owes is less than nothing on their account.
      coalesce(-sum(gained('receivable', debit, credit, units)) filter (where asset = 'USD'), 0) as receivable_usd,
      coalesce(-sum(gained('receivable', debit, credit, units)) filter (where asset = 'GMP'), 0) as receivable_gmp
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

-- A receivable is written off by two administrators, however small it is.
create or replace function adjustment_is_decided() returns trigger
language plpgsql as $$
begin
  perform assert_decided('adjustment', new.id, abs(new.units));
  if new.account = 'receivable' and not exists (
    select from approval
    where kind = 'adjustment' and subject_id = new.id and state = 'approved' and rule in ('second', 'single')
  ) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;

grant select on receivable to bursar_app, bursar_worker, bursar_auditor;
grant insert on receivable to bursar_worker;

-- The platform brings its life into Bursar: users, deposits, withdrawals, stakes, tickets, tasks and activity. The ids of these rows are digests of the
-- platform's own ids, so the primary keys refuse to store anything twice.

-- What the platform sent for a user or a task. Administrators change some of it later, so the row cannot tell whether the
-- platform sends the same again.
alter table platform_user add column sent_digest text;
alter table task add column sent_digest text;

-- Only the trigger of transfer writes totals, so the role of the API cannot lock them itself. In one order, so that two
-- transactions never wait for each other.
create function lock_totals(users uuid[]) returns setof user_total
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select total.* from user_total as total where total.user_id = any($1) order by total.user_id for update;
end;
revoke execute on function lock_totals from public;
grant execute on function lock_totals to bursar_app;

-- Events are counted by hour. They are kept for as long as they are accepted, only to tell duplicates.
create table activity_event (
  id uuid not null,
  day date not null,
  user_id uuid not null,
  kind activity_kind not null,
  at timestamptz not null,
  primary key (id, day)
) partition by range (day);
comment on table activity_event is 'owner: reports. A partition is dropped when the events of its day are refused.';

-- Events of the last seven days are accepted. The worker asks for the days; it owns no table.
create function prepare_activity_days() returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
set lock_timeout = '2s' as $$
declare
  today date := (now() at time zone 'UTC')::date;
  name text;
begin
  for name in
    select inhrelid::regclass::text from pg_inherits
    where inhparent = 'public.activity_event'::regclass
      and right(inhrelid::regclass::text, 8) < to_char(today - 8, 'YYYYMMDD')
  loop
    execute format('drop table %s', name);
  end loop;
  for ahead in -8..30 loop
    name := 'public.activity_event_' || to_char(today + ahead, 'YYYYMMDD');
    if to_regclass(name) is null then
      execute format('create table %s partition of public.activity_event for values from (%L) to (%L)',
        name, today + ahead, today + ahead + 1);
    end if;
  end loop;
end
$$;
revoke execute on function prepare_activity_days from public;
grant execute on function prepare_activity_days to bursar_worker;
select prepare_activity_days();

grant select, insert on activity_event to bursar_app;
grant insert, update on activity_hour to bursar_app;
grant select on activity_event to bursar_auditor;

-- A stake that ends early returns its amount, and the loyalty that was set aside for it goes back to the treasury. Both
-- transfers have a kind of their own: a run that completes a stake is compared with its plan, and this is no run's.
alter type transfer_kind add value 'stake-end' after 'stake';
alter table stake
  -- When the user ended it on the platform. It was completed here when the platform sent that.
  add column ended_early_at timestamptz,
  add column forfeited_usd bigint check (forfeited_usd >= 0),
  add check ((ended_early_at is null) = (forfeited_usd is null)),
  add check (ended_early_at is null or status = 'Completed');
create index stake_ended_early on stake (completed_at) where ended_early_at is not null;

-- The new value of the enum cannot be used in this transaction, so it stands only in the text of the function. No query
-- on transfer may follow in this transaction.
set local check_function_bodies = off;
create or replace function connects(kind transfer_kind, debit ledger_account, credit ledger_account) returns boolean
language sql immutable parallel safe as $$
  select case kind
    when 'deposit' then debit = 'outside' and credit in ('available', 'treasury')
    when 'stake' then debit = 'available' and credit = 'staked' or debit = 'staked' and credit = 'available'
    when 'stake-end' then debit = 'staked' and credit = 'available' or debit = 'loyalty' and credit = 'treasury'
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

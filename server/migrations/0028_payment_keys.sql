-- The key of a payment is the payment itself and the number of its own reversals, never the attempt of a run. So the
-- database refuses a second payment while the first one stands, even if the plan is wrong.

-- A reversal has the part of the payment that it reverses, so the next part follows from the reversals.
create index transfer_reversals on transfer (day, cause_id, kind, part) where reverses is not null;

-- A rank bonus is a payment of its own for each rank, and a distribution for each frequency: the last digit of the part.
create function has_variants(kind transfer_kind) returns boolean
language sql immutable parallel safe
return kind in ('gmp', 'rank-bonus');

create function variant_of(kind transfer_kind, part integer) returns integer
language sql immutable parallel safe
return case when has_variants(kind) then part % 10 else 0 end;

create function reversals_of(kind transfer_kind, part integer) returns integer
language sql immutable parallel safe
return case when has_variants(kind) then part / 10 else part end;

-- A run that is not over and pays under the old parts ends here: what it has paid stays, and the rest of its period can
-- be planned again.
alter table run disable trigger user;
update run set state = 'cancelled', ended_at = now(), why = '{"code": "superseded", "params": {"by": null}}'
where ended_at is null and plan_hash is not null and (part > 0 or kind = 'gmp-distro');
alter table run enable trigger user;
update approval set state = 'void', decided_at = now()
where state = 'waiting' and kind = 'run' and subject_id in (select id from run where state = 'cancelled');

-- Payments that were made under the attempt of their run get the number of their own reversals.
create temporary table renumbered on commit drop as
  select day, id, kind, cause_id, part as before, (
      count(*) over (partition by day, cause_id, kind, variant order by id rows unbounded preceding) - 1
    ) * case when has_variants(kind) then 10 else 1 end + variant as after
  from (
    select it.day, it.id, it.kind, it.cause_id, it.part, case it.kind
        when 'rank-bonus' then it.part % 10
        when 'gmp' then coalesce((
          select case run.settings->>'frequency' when 'Daily' then 1 when 'Weekly' then 2 else 3 end
          from run where run.kind = 'gmp-distro' and run.day = it.day and run.part = it.part and run.reverses is null
            and run.started_at is not null
          order by run.created_at desc limit 1
        ), 1)
        else 0
      end as variant
    from transfer as it
    where it.reverses is null and it.kind in ('stake-base', 'stake-bonus', 'stake-loyalty', 'loyalty', 'rank-bonus', 'gmp')
  ) as paid;
delete from renumbered where before = after;
create index on renumbered (day, id);

-- The transfers of a line have one part, so that of any of them is the line's.
alter table run_line disable trigger user;
update run_line as line set part = renumbered.after
from renumbered, run
where run.id = line.run_id and run.day = line.day and line.day = renumbered.day and line.cause_id = renumbered.cause_id
  and line.part = renumbered.before and case run.kind
    when 'stake-payout' then renumbered.kind not in ('rank-bonus', 'gmp')
    when 'rank-bonus' then renumbered.kind = 'rank-bonus'
    when 'gmp-distro' then renumbered.kind = 'gmp'
    else false
  end;
alter table run_line enable trigger user;

-- In two steps, because a unique key is checked row by row.
alter table transfer disable trigger user;
update transfer as it set part = renumbered.after + 1000000 from renumbered
where it.day = renumbered.day and it.id = renumbered.id;
update transfer as back set part = renumbered.after from renumbered
where back.reverses = renumbered.id and back.reverses_day = renumbered.day;
update transfer set part = part - 1000000 where part >= 1000000;
alter table transfer enable trigger user;

-- What came in from outside: a deposit of a user, their shares and points, or money of the house.
create table deposit (
  id uuid not null,
  user_id uuid references platform_user,
  asset asset not null,
  units bigint not null check (units > 0),
  recorded_at timestamptz not null default now(),
  -- One deposit can bring in several assets.
  primary key (id, asset)
);
comment on table deposit is 'owner: ledger. Append-only.';
create trigger deposit_is_append_only before update or delete or truncate on deposit
for each statement execute function stop_rewriting();
insert into deposit (id, user_id, asset, units, recorded_at)
select cause_id, user_id, asset, units, at from transfer where kind = 'deposit' and reverses is null;
-- The house brought it in as funding before deposits were recorded.
alter table transfer disable trigger user;
insert into deposit (id, asset, units, recorded_at)
select cause_id, asset, units, at from transfer where kind = 'funding' and debit = 'outside' and reverses is null;
update transfer set kind = 'deposit' where kind = 'funding' and debit = 'outside' and reverses is null;
alter table transfer enable trigger user;
alter table transfer_once disable trigger user;
update transfer_once as once set kind = 'deposit' from transfer as it
where it.day = once.day and it.id = once.transfer_id and it.kind = 'deposit' and once.kind = 'funding';
alter table transfer_once enable trigger user;
delete from transfer_count;
insert into transfer_count (kind, delta) select kind, count(*) from transfer group by kind;

-- Which accounts each kind of transfer connects. A reversal connects them the other way round.
create function connects(kind transfer_kind, debit ledger_account, credit ledger_account) returns boolean
language sql immutable parallel safe
return case kind
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
  when 'adjustment' then debit = 'adjustments' and credit = 'available' or debit = 'available' and credit = 'adjustments'
    or debit = 'outside' and credit = 'treasury' or debit = 'treasury' and credit = 'outside'
  -- A run that reverses returns the funding of the run that it reverses, as a transfer of its own.
  when 'funding' then 'treasury' in (debit, credit)
    and (debit in ('stake_rewards', 'gmp_pool', 'referral_bonuses', 'rank_bonuses', 'task_rewards')
      or credit in ('stake_rewards', 'gmp_pool', 'referral_bonuses', 'rank_bonuses', 'task_rewards'))
  -- A check passes if its result is null, so a kind without a rule must not end up here without one.
  else false
end;
alter table transfer add constraint transfer_connects check (
  case when reverses is null then connects(kind, debit, credit) else connects(kind, credit, debit) end
);

-- A payment is repeated only after the one before it was reversed. Most payments are first payments, which have none.
create function transfer_is_repeated_after_reversal() returns trigger
language plpgsql as $$
declare
  repeated text;
begin
  select concat_ws(' ', paid.day, paid.kind, paid.cause_id, paid.part) into repeated
  from posted as paid
  where paid.reverses is null and not paid_once(paid.kind) and reversals_of(paid.kind, paid.part) > 0
    and not exists (
      select from transfer as back
      where back.day = paid.day and back.cause_id = paid.cause_id and back.reverses is not null
        and back.part = paid.part - case when has_variants(paid.kind) then 10 else 1 end
    )
  limit 1;
  if repeated is not null then
    raise exception 'the payment before % was not reversed', repeated using errcode = 'BU002';
  end if;
  return null;
end
$$;
create trigger transfer_is_repeated_after_reversal after insert on transfer
referencing new table as posted for each statement execute function transfer_is_repeated_after_reversal();

grant select, insert on deposit to bursar_app;
grant select on deposit to bursar_worker, bursar_auditor;

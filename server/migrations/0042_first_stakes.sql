-- The first stake of each user who has a sponsor. The referral check looks for recent ones; without this table it would
-- look up the stakes of every referred user of the platform.
create table first_stake (
  user_id uuid primary key references platform_user,
  sponsor_id uuid not null,
  stake_id uuid not null references stake,
  amount_usd bigint not null,
  created_at timestamptz not null
);
comment on table first_stake is 'owner: staking. Only the trigger on stake writes it.';
insert into first_stake (user_id, sponsor_id, stake_id, amount_usd, created_at)
select distinct on (stake.user_id) stake.user_id, sponsored.sponsor_id, stake.id, stake.amount_usd, stake.created_at
from stake join platform_user as sponsored on sponsored.id = stake.user_id and sponsored.sponsor_id is not null
order by stake.user_id, stake.created_at, stake.id;
create index first_stake_by_sponsor on first_stake (sponsor_id, created_at);

-- Stakes can arrive in any order, for example from an import, so an earlier one replaces a later one.
create function first_stake_inserted() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into public.first_stake as known (user_id, sponsor_id, stake_id, amount_usd, created_at)
  select distinct on (added.user_id) added.user_id, sponsored.sponsor_id, added.id, added.amount_usd, added.created_at
  from added join public.platform_user as sponsored on sponsored.id = added.user_id and sponsored.sponsor_id is not null
  order by added.user_id, added.created_at, added.id
  on conflict (user_id) do update
  set stake_id = excluded.stake_id, amount_usd = excluded.amount_usd, created_at = excluded.created_at
  where (excluded.created_at, excluded.stake_id) < (known.created_at, known.stake_id);
  return null;
end
$$;
create trigger first_stake_inserted after insert on stake
referencing new table as added for each statement execute function first_stake_inserted();

grant select on first_stake to bursar_app, bursar_worker, bursar_auditor;

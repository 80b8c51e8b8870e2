create type stake_status as enum ('Active', 'Completed');

create table stake_plan (
  id uuid primary key default uuid_v7(),
  days integer not null check (days between 1 and 3650),
  -- Basis points: 15 is 0.15 percent a day.
  daily_rate_bp integer not null check (daily_rate_bp between 0 and 10000),
  offered boolean not null default true,
  created_at timestamptz not null default now(),
  unique (days, daily_rate_bp)
);
comment on table stake_plan is 'owner: staking.';
insert into stake_plan (days, daily_rate_bp) values (30, 10), (60, 15);

create table stake (
  id uuid primary key default uuid_v7(),
  stake_id text not null check (length(stake_id) between 1 and 64),
  user_id uuid not null references platform_user,
  plan_id uuid not null references stake_plan,
  amount_usd bigint not null check (amount_usd > 0),
  -- What was paid in for it.
  amount_sol bigint not null check (amount_sol >= 0),
  -- Copied from the plan: what was agreed stays agreed.
  days integer not null,
  daily_rate_bp integer not null,
  status stake_status not null default 'Active',
  created_at timestamptz not null default now(),
  ends_on date not null,
  completed_at timestamptz,
  check ((status = 'Completed') = (completed_at is not null))
);
comment on table stake is 'owner: staking.';

create unique index stake_stake_id_key on stake (stake_id);
create index stake_by_created on stake (created_at, id);
create index stake_by_amount on stake (amount_usd, id);
create index stake_by_status_created on stake (status, created_at, id);
create index stake_by_status_amount on stake (status, amount_usd, id);
create index stake_by_user on stake (user_id, created_at, id);
create trigger stake_is_never_deleted before delete or truncate on stake
for each statement execute function stop_rewriting();

-- Each statement appends what it changed; a job folds the rows together. See ticket_count.
create table stake_count (
  status stake_status not null,
  delta bigint not null,
  amount_usd bigint not null
);
comment on table stake_count is 'owner: staking. A figure is the sum of its column.';

create function stake_inserted() returns trigger
language plpgsql as $$
begin
  insert into stake_count (status, delta, amount_usd)
  select status, count(*), sum(amount_usd) from added group by status;
  -- The volume of everyone above the one who stakes.
  insert into team_delta (user_id, members, volume_sol, volume_usd)
  select user_id, 0, sum(amount_sol), sum(amount_usd) from added group by user_id;
  return null;
end
$$;
create trigger stake_inserted after insert on stake
referencing new table as added for each statement execute function stake_inserted();

create function stake_updated() returns trigger
language plpgsql as $$
begin
  insert into stake_count (status, delta, amount_usd)
  select status, sum(one), sum(units)
  from (
    select status, 1 as one, amount_usd as units from now_is
    union all
    select status, -1, -amount_usd from was
  ) as moved
  group by status
  having sum(one) <> 0 or sum(units) <> 0;
  return null;
end
$$;
create trigger stake_updated after update on stake
referencing old table as was new table as now_is for each statement execute function stake_updated();

grant select, insert, update on stake to bursar_app;
grant select, insert on stake_count to bursar_app, bursar_worker;
grant delete on stake_count to bursar_worker;
grant select, insert, update on stake_plan to bursar_app;
grant select on stake, stake_plan to bursar_worker;
grant select on stake, stake_plan, stake_count to bursar_auditor;

-- In the order in which the list sorts them.
create type withdrawal_status as enum ('Pending', 'Completed', 'Failed');

create table withdrawal (
  id uuid primary key default uuid_v7(),
  user_id uuid not null references platform_user,
  amount_usd bigint not null check (amount_usd > 0),
  wallet text not null,
  status withdrawal_status not null default 'Pending',
  created_at timestamptz not null default now(),
  -- The user's figures at the moment of the request.
  balance_usd bigint not null check (balance_usd >= 0),
  gmp_shares bigint not null,
  prev_slx bigint not null,
  slx_points bigint not null,
  decided_at timestamptz,
  decided_by uuid references admin,
  reason text,
  signature text,
  check ((status = 'Pending') = (decided_at is null)),
  check (status <> 'Failed' or reason is not null)
);
comment on table withdrawal is 'owner: withdrawals.';

create index withdrawal_by_created on withdrawal (created_at, id);
create index withdrawal_by_amount on withdrawal (amount_usd, id);
create index withdrawal_by_status_created on withdrawal (status, created_at, id);
create index withdrawal_by_status_amount on withdrawal (status, amount_usd, id);
create index withdrawal_by_user on withdrawal (user_id, created_at, id);
-- Whether anyone else uses a wallet is a look to either side of its user, however many withdrawals went there.
create index withdrawal_by_wallet on withdrawal (wallet, user_id, created_at);
-- What the report shows, in its order.
create index withdrawal_reported on withdrawal (created_at, id) where status <> 'Failed';

-- A decision is final.
create function withdrawal_stays_decided() returns trigger
language plpgsql as $$
begin
  if old.status <> 'Pending' then perform refuse('WithdrawalDecided'); end if;
  return new;
end
$$;
create trigger withdrawal_stays_decided before update on withdrawal
for each row execute function withdrawal_stays_decided();
create trigger withdrawal_is_never_deleted before delete or truncate on withdrawal
for each statement execute function stop_rewriting();

-- Each statement appends what it changed; a job folds the rows together. See ticket_count.
create table withdrawal_count (
  status withdrawal_status not null,
  delta bigint not null,
  amount_usd bigint not null
);
comment on table withdrawal_count is 'owner: withdrawals. A figure is the sum of its column.';

create function withdrawal_count_inserted() returns trigger
language plpgsql as $$
begin
  insert into withdrawal_count (status, delta, amount_usd)
  select status, count(*), sum(amount_usd) from added group by status;
  return null;
end
$$;
create trigger withdrawal_count_inserted after insert on withdrawal
referencing new table as added for each statement execute function withdrawal_count_inserted();

create function withdrawal_count_updated() returns trigger
language plpgsql as $$
begin
  insert into withdrawal_count (status, delta, amount_usd)
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
create trigger withdrawal_count_updated after update on withdrawal
referencing old table as was new table as now_is for each statement execute function withdrawal_count_updated();

-- One row for the whole platform.
create table withdrawal_switch (
  single boolean primary key default true check (single),
  enabled boolean not null,
  changed_by uuid references admin,
  changed_at timestamptz
);
comment on table withdrawal_switch is 'owner: withdrawals.';
insert into withdrawal_switch (enabled) values (true);

grant select, insert, update on withdrawal to bursar_app;
grant select, insert on withdrawal_count to bursar_app, bursar_worker;
grant delete on withdrawal_count to bursar_worker;
grant select, update on withdrawal_switch to bursar_app;
grant select on withdrawal, withdrawal_switch to bursar_worker;
grant select on withdrawal, withdrawal_count, withdrawal_switch to bursar_auditor;

create type user_role as enum ('User', 'Admin');
-- In the order of the ladder.
create type user_rank as enum ('none', 'Silver', 'Gold', 'Platinum');

-- A person on the platform. Named so because "user" is a word of SQL, and an administrator is somebody else.
create table platform_user (
  id uuid primary key default uuid_v7(),
  user_id text not null check (length(user_id) between 1 and 64),
  username text not null check (length(username) between 1 and 64),
  role user_role not null default 'User',
  wallet text not null,
  sol_wallet_address text not null,
  referral_code text not null,
  sponsor_id uuid references platform_user,
  rank user_rank not null default 'none',
  -- The last day in UTC on which they did anything.
  last_active_on date,
  blacklisted_at timestamptz,
  blacklist_reason text,
  retired_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  version integer not null default 1,
  search_text text not null
    generated always as (lower(user_id || ' ' || username || ' ' || wallet || ' ' || referral_code)) stored,
  check ((blacklisted_at is null) = (blacklist_reason is null))
);
comment on table platform_user is 'owner: users.';

create unique index platform_user_user_id_key on platform_user (user_id);
create unique index platform_user_referral_code_key on platform_user (referral_code);
create unique index platform_user_username_key on platform_user (lower(username)) where retired_at is null;
create index platform_user_by_sol_wallet on platform_user (sol_wallet_address);
create index platform_user_by_wallet on platform_user (wallet);
-- One index for each way the list can be ordered: a page is a short walk along one of them at any size.
create index platform_user_by_created on platform_user (created_at, id) where retired_at is null;
create index platform_user_by_user_id on platform_user (user_id, id) where retired_at is null;
create index platform_user_by_username on platform_user (username, id) where retired_at is null;
create index platform_user_by_role on platform_user (role, id) where retired_at is null;
-- The blacklisted are few: the orders above would be walked from end to end to find a page of them.
create index platform_user_blacklisted on platform_user (created_at, id)
  where retired_at is null and blacklisted_at is not null;
create index platform_user_blacklisted_by_user_id on platform_user (user_id, id)
  where retired_at is null and blacklisted_at is not null;
create index platform_user_blacklisted_by_username on platform_user (username, id)
  where retired_at is null and blacklisted_at is not null;
create index platform_user_blacklisted_by_role on platform_user (role, id)
  where retired_at is null and blacklisted_at is not null;
create index platform_user_by_sponsor on platform_user (sponsor_id, created_at, id) where sponsor_id is not null;
create index platform_user_by_search on platform_user using gin (search_text gin_trgm_ops);
-- Whether a word is too common to be counted is read from the planner's estimate: it must have seen enough rows.
alter table platform_user alter column search_text set statistics 2000;
alter table ticket alter column search_text set statistics 2000;
-- The reports look for names alone; in the longer text a wallet would match as well.
create index platform_user_by_name_part on platform_user using gin (lower(username) gin_trgm_ops);

create trigger platform_user_is_never_deleted before delete or truncate on platform_user
for each statement execute function stop_rewriting();

-- Each statement appends what it changed; a job folds the rows together. See ticket_count.
create table user_count (
  -- 'all': how many there are. 'blacklisted': of those. 'registered': in the hour `at`. 'active': last on the day `at`.
  measure text not null check (measure in ('all', 'blacklisted', 'registered', 'active')),
  at timestamptz,
  delta bigint not null
);
comment on table user_count is 'owner: users. A figure is the sum of delta.';
create index user_count_by_measure on user_count (measure, at) include (delta);

-- What a person adds to everyone above them: themselves, and what they stake. A job carries it up the tree.
create table team_delta (
  user_id uuid not null,
  members bigint not null,
  volume_sol bigint not null,
  volume_usd bigint not null
);
comment on table team_delta is 'owner: users. Waits to be added to the teams above user_id.';

create table team (
  user_id uuid primary key references platform_user,
  referral_count bigint not null default 0,
  total_network bigint not null default 0,
  volume_sol bigint not null default 0,
  volume_usd bigint not null default 0
);
comment on table team is 'owner: users. What stands below each user in the referral tree, without the user.';

create function platform_user_inserted() returns trigger
language plpgsql as $$
begin
  insert into user_count (measure, at, delta)
  select 'all', null::timestamptz, count(*) from added where retired_at is null
  union all
  select 'blacklisted', null, count(*) from added where retired_at is null and blacklisted_at is not null
  union all
  select 'registered', date_trunc('hour', created_at, 'UTC'), count(*) from added group by 2
  union all
  select 'active', last_active_on::timestamp at time zone 'UTC', count(*)
  from added where retired_at is null and last_active_on is not null group by 2;
  insert into team_delta (user_id, members, volume_sol, volume_usd)
  select id, 1, 0, 0 from added where sponsor_id is not null;
  return null;
end
$$;
create trigger platform_user_inserted after insert on platform_user
referencing new table as added for each statement execute function platform_user_inserted();

create function platform_user_updated() returns trigger
language plpgsql as $$
begin
  insert into user_count (measure, at, delta)
  select measure, at, sum(one)
  from (
    select 'all' as measure, null::timestamptz as at, 1 as one from now_is where retired_at is null
    union all
    select 'all', null, -1 from was where retired_at is null
    union all
    select 'blacklisted', null, 1 from now_is where retired_at is null and blacklisted_at is not null
    union all
    select 'blacklisted', null, -1 from was where retired_at is null and blacklisted_at is not null
    union all
    select 'active', last_active_on::timestamp at time zone 'UTC', 1
    from now_is where retired_at is null and last_active_on is not null
    union all
    select 'active', last_active_on::timestamp at time zone 'UTC', -1
    from was where retired_at is null and last_active_on is not null
  ) as moved
  group by measure, at
  having sum(one) <> 0;
  return null;
end
$$;
create trigger platform_user_updated after update on platform_user
referencing old table as was new table as now_is for each statement execute function platform_user_updated();

-- Sealed with a key that the database does not hold; no answer ever carries these columns.
create table user_secret (
  user_id uuid primary key references platform_user,
  sol_private_key bytea,
  password_hash text,
  token_digest bytea,
  -- What may be known of them; the columns themselves are granted to nobody.
  holds_private_key boolean not null generated always as (sol_private_key is not null) stored,
  has_password boolean not null generated always as (password_hash is not null) stored,
  has_token boolean not null generated always as (token_digest is not null) stored
);
comment on table user_secret is 'owner: users.';

create table user_photo (
  user_id uuid primary key references platform_user,
  -- Drawn anew by us from what was sent, never the sent bytes.
  webp bytea not null,
  digest text not null,
  taken_at timestamptz not null default now()
);
comment on table user_photo is 'owner: users.';

create table rank_change (
  id uuid primary key default uuid_v7(),
  user_id uuid not null references platform_user,
  from_rank user_rank not null,
  to_rank user_rank not null,
  reason text not null,
  made_by uuid not null references admin,
  made_at timestamptz not null default now(),
  check (from_rank <> to_rank)
);
comment on table rank_change is 'owner: users. Append-only.';
create index rank_change_by_time on rank_change (made_at, id);
create index rank_change_by_user on rank_change (user_id, made_at, id);
create trigger rank_change_is_append_only before update or delete or truncate on rank_change
for each statement execute function stop_rewriting();

grant select, insert, update on platform_user to bursar_app;
grant select, insert on user_count, team_delta to bursar_app, bursar_worker;
grant delete on user_count, team_delta to bursar_worker;
grant select on team to bursar_app;
grant select, insert, update on team to bursar_worker;
-- Which secrets are held may be known and a token taken back; what they are is read by no process.
grant select (user_id, holds_private_key, has_password, has_token), update (token_digest) on user_secret to bursar_app;
grant select, insert, update on user_photo to bursar_app;
grant select, insert on rank_change to bursar_app;
grant select on platform_user, rank_change to bursar_worker;
grant select on platform_user, user_count, team, team_delta, user_photo, rank_change to bursar_auditor;

create type run_kind as enum ('stake-payout', 'gmp-distro', 'referral-check', 'rank-bonus');

-- In the order in which a run lives; from 'completed' on it is over.
create type run_state as enum (
  'planning', 'planned', 'running', 'paused', 'failed', 'completed', 'cancelled', 'refused'
);

create type skip_reason as enum ('blacklisted', 'deleted', 'paid', 'nothing', 'not-staked', 'spent', 'ended');

-- One payment of many people: planned, approved, executed as planned, proved, and reversed by another run.
create table run (
  id uuid primary key default uuid_v7(),
  kind run_kind not null,
  -- What is paid, as people say it: the day, the week and rank, the moment of a check.
  period text not null check (length(period) between 1 and 64),
  -- The day of its transfers.
  day date not null,
  -- A period whose payment was taken back or left unfinished is paid again under the next part.
  part integer not null check (part >= 0),
  asset asset not null,
  -- The version of the settings that it pays by, and what they were.
  settings jsonb not null,
  settings_version integer not null,
  -- What all lines were computed from, read in the same moment as they.
  inputs jsonb not null default '{}',
  state run_state not null default 'planning',
  -- Why it is paused, failed, cancelled or refused.
  why text,
  -- The run that this one takes back, and why.
  reverses uuid references run,
  reason text check (length(reason) between 1 and 500),
  plan_hash text,
  lines bigint not null default 0,
  skipped bigint not null default 0,
  -- What there was to share out, and what of it is paid now, set aside, and kept.
  budget bigint not null default 0,
  pays bigint not null default 0,
  sets_aside bigint not null default 0,
  keeps bigint not null default 0,
  -- Set aside on earlier days and paid now.
  releases bigint not null default 0,
  -- Stakes that come back to their owners, or are locked again where that is taken back.
  returned bigint not null default 0,
  -- How many lines are skipped for which reason.
  skips jsonb not null default '{}',
  -- Nobody: the schedule.
  planned_by uuid references admin,
  created_at timestamptz not null default now(),
  -- The moment that the plan was read in.
  planned_at timestamptz,
  begun_by uuid references admin,
  approved_by uuid references admin,
  begun_at timestamptz,
  ended_at timestamptz,
  check ((reverses is null) = (reason is null)),
  check (state in ('planning', 'cancelled', 'refused', 'failed') or plan_hash is not null),
  check ((state >= 'completed') = (ended_at is not null)),
  check (state not in ('failed', 'cancelled', 'refused') or why is not null),
  check (budget = pays + sets_aside + keeps)
);
comment on table run is 'owner: runs.';
create unique index run_of_a_kind_at_a_time on run (kind) where state < 'completed';
create index run_by_time on run (created_at, id);
create index run_by_kind on run (kind, created_at, id);
create index run_by_day on run (kind, day);
create index run_reversed_by on run (reverses) where reverses is not null;
-- A payment of a period, and each further one of what was taken back or left of it.
create unique index run_of_a_period on run (kind, period, part)
  where reverses is null and state not in ('cancelled', 'refused');

-- What was planned stays planned, and what is over stays over.
create function run_stays_planned() returns trigger
language plpgsql as $$
begin
  if old.state >= 'completed' then perform refuse('RunOver'); end if;
  if (old.id, old.kind, old.period, old.day, old.part, old.asset, old.settings, old.settings_version, old.reverses,
      old.reason, old.planned_by, old.created_at)
    is distinct from (new.id, new.kind, new.period, new.day, new.part, new.asset, new.settings, new.settings_version,
      new.reverses, new.reason, new.planned_by, new.created_at)
    or old.plan_hash is not null
    and (old.plan_hash, old.inputs, old.planned_at, old.lines, old.skipped, old.budget, old.pays, old.sets_aside,
      old.keeps, old.releases, old.returned, old.skips)
    is distinct from (new.plan_hash, new.inputs, new.planned_at, new.lines, new.skipped, new.budget, new.pays,
      new.sets_aside, new.keeps, new.releases, new.returned, new.skips)
    or old.plan_hash is not null and new.state = 'planning' then
    raise exception 'a plan cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger run_stays_planned before update on run for each row execute function run_stays_planned();
create trigger run_is_never_deleted before delete or truncate on run
for each statement execute function stop_rewriting();

-- The plan: what everyone gets, from what it was computed, or why they get nothing.
create table run_line (
  run_id uuid not null,
  day date not null,
  user_id uuid not null,
  -- The stake; of a referral, who was referred; else the user.
  cause_id uuid not null,
  part integer not null,
  -- The stake's amount, the shares, the first stake of who was referred, the bonus.
  input bigint not null,
  -- The stake's daily rate.
  rate_bp integer not null default 0,
  ranked boolean not null default false,
  base bigint not null default 0 check (base >= 0),
  bonus bigint not null default 0 check (bonus >= 0),
  loyalty bigint not null default 0 check (loyalty >= 0),
  -- Set aside on earlier days and today, and paid now that the stake is complete.
  closing bigint not null default 0 check (closing >= 0),
  completes boolean not null default false,
  skip skip_reason,
  primary key (run_id, user_id, cause_id, day)
) partition by range (day);
comment on table run_line is 'owner: runs. Append-only once the run is planned.';
create index run_line_skipped on run_line (run_id, skip, user_id, cause_id) where skip is not null;

-- Some thousand lines that are planned and paid in one transaction: all those of the users in a range.
create table run_chunk (
  run_id uuid not null references run,
  no integer not null,
  -- After the one, up to and with the other.
  after_user uuid not null,
  to_user uuid not null,
  digest text not null,
  lines bigint not null,
  skipped bigint not null,
  budget bigint not null,
  base bigint not null,
  bonus bigint not null,
  loyalty bigint not null,
  closing bigint not null,
  -- What stays in the treasury: the bonus of those without a rank, all of those who are skipped, what the shares leave,
  -- and what was rounded off.
  unranked bigint not null,
  withheld bigint not null,
  unshared bigint not null,
  rounded bigint not null check (rounded >= 0),
  -- The largest line: the largest of all are in the chunks in which these are.
  largest bigint not null,
  -- How many stakes end, and what comes back to their owners by that.
  completes bigint not null,
  returned bigint not null,
  paid_at timestamptz,
  transfers bigint,
  -- How often it could not be paid, and why the last time.
  failures integer not null default 0,
  failure text,
  primary key (run_id, no),
  check (budget = base + bonus + loyalty + unranked + withheld + unshared + rounded),
  check ((paid_at is null) = (transfers is null))
);
comment on table run_chunk is 'owner: runs.';
create index run_chunk_open on run_chunk (run_id, no) where paid_at is null;
create index run_chunk_by_user on run_chunk (run_id, to_user);

create function run_chunk_stays_planned() returns trigger
language plpgsql as $$
begin
  if old.paid_at is not null or to_jsonb(old) - '{paid_at,transfers,failures,failure}'::text[]
    is distinct from to_jsonb(new) - '{paid_at,transfers,failures,failure}'::text[] then
    raise exception 'a plan cannot be changed, and is paid once' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger run_chunk_stays_planned before update on run_chunk
for each row execute function run_chunk_stays_planned();

-- A plan that was interrupted is thrown away and made anew: its moment is gone.
create function plan_is_being_made() returns trigger
language plpgsql as $$
begin
  if exists (
    select from (select distinct run_id from changed) as of
    left join run on run.id = of.run_id
    where run.state is distinct from 'planning'
  ) then
    raise exception 'a plan cannot be changed' using errcode = 'BU002';
  end if;
  return null;
end
$$;
create trigger run_line_added after insert on run_line
referencing new table as changed for each statement execute function plan_is_being_made();
create trigger run_line_removed after delete on run_line
referencing old table as changed for each statement execute function plan_is_being_made();
create trigger run_chunk_added after insert on run_chunk
referencing new table as changed for each statement execute function plan_is_being_made();
create trigger run_chunk_removed after delete on run_chunk
referencing old table as changed for each statement execute function plan_is_being_made();
create trigger run_line_stays_planned before update on run_line
for each row execute function stop_rewriting();
create trigger run_line_is_never_emptied before truncate on run_line
for each statement execute function stop_rewriting();
create trigger run_chunk_is_never_emptied before truncate on run_chunk
for each statement execute function stop_rewriting();

-- The months of the ledger and of the plans: a month that is missing would stop every payment in it.
create function prepare_month(whole text, month date) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
-- Everyone who writes there waits behind it: there is half a year to try again.
set lock_timeout = '2s' as $$
declare
  begins date := date_trunc('month', month);
  name text := format('public.%I', whole || '_' || to_char(month, 'YYYY_MM'));
begin
  if whole not in ('transfer', 'run_line') then raise exception '% has no months', whole; end if;
  if to_regclass(name) is not null then return; end if;
  if month > now() + interval '1 year' then raise exception '% is too far ahead', month; end if;
  execute format('create table %s partition of public.%I for values from (%L) to (%L)',
    name, whole, begins, begins + interval '1 month');
  execute format('create trigger %I before truncate on %s for each statement execute function public.stop_rewriting()',
    whole || '_is_never_emptied', name);
end
$$;
revoke execute on function prepare_month from public;
grant execute on function prepare_month to bursar_worker;
drop function prepare_transfer_month;

do $$
declare
  this_month date := date_trunc('month', now() at time zone 'UTC');
begin
  execute format('create table %s partition of run_line for values from (minvalue) to (%L)', 'run_line_earlier',
    this_month);
  for ahead in 0..6 loop
    perform prepare_month('run_line', (this_month + ahead * interval '1 month')::date);
  end loop;
end
$$;
create trigger run_line_is_never_emptied before truncate on run_line_earlier
for each statement execute function stop_rewriting();

-- All that is posted for a cause on a day lies together, and is found by the two.
drop index transfer_key;
create unique index transfer_key on transfer (day, cause_id, kind, part) where reverses is null;

-- A share of an amount in hundred-millionths, rounded down: exact, and without a product that would not fit.
create function share_of(units bigint, share bigint) returns bigint
language sql immutable parallel safe
return units / 100000000 * share + units % 100000000 * share / 100000000;

-- When each scheduled run was due, and what became of it.
create table run_due (
  kind run_kind not null,
  due_at timestamptz not null,
  outcome text not null check (outcome in ('fired', 'skipped', 'overlapped', 'missed')),
  run_id uuid references run,
  why text,
  noted_at timestamptz not null default now(),
  primary key (kind, due_at),
  check ((outcome = 'fired') = (run_id is not null)),
  check (outcome = 'fired' or why is not null)
);
comment on table run_due is 'owner: runs. Append-only.';
create trigger run_due_is_append_only before update or delete or truncate on run_due
for each statement execute function stop_rewriting();

-- Whom a run pays is found by user: these are the ways there.
create index stake_active_by_user on stake (user_id, created_at) where status = 'Active';
create index platform_user_ranked on platform_user (rank, id) where rank <> 'none';
-- Who was barred since a plan was made. The odd condition keeps the lists of the blacklisted to their own indexes.
create index platform_user_by_blacklisted on platform_user (blacklisted_at) where blacklisted_at > '-infinity';
create index platform_user_by_retired on platform_user (retired_at) where retired_at is not null;

-- What was agreed stays agreed: a payment is found again by the stake and its owner.
create function stake_stays_agreed() returns trigger
language plpgsql as $$
begin
  if (old.id, old.user_id, old.amount_usd, old.days, old.daily_rate_bp, old.created_at, old.ends_on)
    is distinct from (new.id, new.user_id, new.amount_usd, new.days, new.daily_rate_bp, new.created_at, new.ends_on) then
    raise exception 'a stake stays what was agreed' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger stake_stays_agreed before update on stake for each row execute function stake_stays_agreed();

-- Runs need a second person too, from a limit in their own asset on.
alter table approval_limit rename column limit_usd to limit_units;
alter table approval_limit add column asset asset not null default 'USD';
alter table approval_limit drop constraint approval_limit_pkey;
drop index approval_waiting;
alter type approval_kind rename to approval_kind_of_one;
create type approval_kind as enum ('withdrawal', 'adjustment', 'task', 'run');
alter table approval alter column kind type approval_kind using kind::text::approval_kind;
alter table approval_limit alter column kind type approval_kind using kind::text::approval_kind;
drop type approval_kind_of_one;
create unique index approval_waiting on approval (kind, subject_id) where state = 'waiting';
alter table approval_limit add primary key (kind, asset, version);
insert into approval_limit (kind, asset, version, limit_units)
values ('run', 'USD', 1, 10000000000), ('run', 'GMP', 1, 10000000000);

-- The lines of a run can be had as a file.
alter table report_export drop constraint report_export_tab_check;
alter table report_export add constraint report_export_tab_check check (tab in ('withdrawal', 'staking', 'task', 'run'));

grant select, insert on run to bursar_app, bursar_worker;
grant update (state, why, begun_by, approved_by, begun_at, ended_at) on run to bursar_app;
grant update on run to bursar_worker;
grant select on run_line, run_chunk, run_due to bursar_app;
grant select, insert, delete on run_line, run_chunk to bursar_worker;
grant update on run_chunk to bursar_worker;
grant select, insert on run_due to bursar_worker;
grant update (status, completed_at) on stake to bursar_worker;
grant select on run, run_line, run_chunk, run_due to bursar_auditor;

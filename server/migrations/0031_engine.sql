-- The months of the ledger and of the plans have no gaps, also after months without a worker: what is posted for a day
-- after the last month goes to the partition `later`, and moves to its month when that is created. A default partition
-- would do the same, but PostgreSQL could then no longer read the partitions one after the other in the order of days.
do $$
declare
  whole text;
  last_month date;
begin
  foreach whole in array '{transfer,run_line}'::text[] loop
    select max(to_date(right(part.relname, 7), 'YYYY_MM')) into last_month
    from pg_inherits join pg_class as part on part.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = whole::regclass and part.relname ~ '_\d{4}_\d{2}$';
    -- An installation may have a gap already.
    perform prepare_month(whole, month::date) from (
      select generate_series(min(to_date(right(part.relname, 7), 'YYYY_MM')), last_month, interval '1 month') as month
      from pg_inherits join pg_class as part on part.oid = pg_inherits.inhrelid
      where pg_inherits.inhparent = whole::regclass and part.relname ~ '_\d{4}_\d{2}$'
    ) as months;
    execute format('create table %I partition of %I for values from (%L) to (maxvalue)', whole || '_later', whole,
      last_month + interval '1 month');
    execute format('create trigger %I before truncate on %I for each statement execute function stop_rewriting()',
      whole || '_is_never_emptied', whole || '_later');
  end loop;
end
$$;
drop function prepare_month;

-- Creates all missing months up to the one of that day.
create function prepare_months(whole text, until date) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
-- Everyone who writes there waits behind it: there is half a year to try again.
set lock_timeout = '2s' as $$
declare
  rest text := format('public.%I', whole || '_later');
  part text;
  starts date;
begin
  if whole not in ('transfer', 'run_line') then raise exception '% has no months', whole; end if;
  if until > now() + interval '1 year' then raise exception '% is too far ahead', until; end if;
  if to_regclass(format('public.%I', whole || '_' || to_char(until, 'YYYY_MM'))) is not null then return; end if;
  execute format('lock table only public.%I in access exclusive mode', whole);
  select max(to_date(right(child.relname, 7), 'YYYY_MM')) + interval '1 month' into starts
  from pg_inherits join pg_class as child on child.oid = pg_inherits.inhrelid
  where pg_inherits.inhparent = format('public.%I', whole)::regclass and child.relname ~ '_\d{4}_\d{2}$';
  if starts > until then return; end if;
  execute format('alter table public.%I detach partition %s', whole, rest);
  while starts <= until loop
    part := format('public.%I', whole || '_' || to_char(starts, 'YYYY_MM'));
    execute format('create table %s (like public.%I including defaults including constraints)', part, whole);
    execute format('with moved as (delete from %s where day < %L returning *) insert into %s select * from moved',
      rest, starts + interval '1 month', part);
    execute format('alter table public.%I attach partition %s for values from (%L) to (%L)', whole, part, starts,
      starts + interval '1 month');
    execute format('create trigger %I before truncate on %s for each statement execute function public.stop_rewriting()',
      whole || '_is_never_emptied', part);
    starts := starts + interval '1 month';
  end loop;
  execute format('alter table public.%I attach partition %s for values from (%L) to (maxvalue)', whole, rest, starts);
end
$$;
revoke execute on function prepare_months from public;
grant execute on function prepare_months to bursar_worker;

-- The worker processes that are alive. A process updates its row every few seconds and deletes it when it stops.
create table worker_process (
  id uuid primary key,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
comment on table worker_process is 'owner: health.';
grant select, insert, update, delete on worker_process to bursar_worker;
grant select on worker_process to bursar_app, bursar_auditor;

-- Since when a run makes no progress, and what stopped the last attempt to plan or pay it.
alter table run add column state_changed_at timestamptz;
update run set state_changed_at = now() where state < 'completed';
alter table run
  alter column state_changed_at set default clock_timestamp(),
  add column last_error jsonb check (last_error ?& '{code,params}'),
  add column last_error_at timestamptz,
  add check ((last_error is null) = (last_error_at is null));
alter table run_chunk add column planned_at timestamptz;
alter table run_chunk alter column planned_at set default clock_timestamp();

create or replace function run_transition_is_known() returns trigger
language plpgsql as $$
begin
  if old.state is not distinct from new.state then return new; end if;
  if not exists (
    select from run_transition where from_state is not distinct from old.state and to_state = new.state
  ) then
    raise exception 'a run cannot become % from %', new.state, coalesce(old.state::text, 'nothing')
      using errcode = 'BU002';
  end if;
  new.state_changed_at := clock_timestamp();
  new.last_error := null;
  new.last_error_at := null;
  return new;
end
$$;

-- The ranges of users of a plan that are cut and not written yet. Workers claim them, and all read the same snapshot.
create table run_range (
  run_id uuid not null references run,
  no integer not null,
  after_user uuid not null,
  to_user uuid not null,
  snapshot text not null,
  -- What all lines of the plan are computed from.
  inputs jsonb not null,
  primary key (run_id, no)
);
comment on table run_range is 'owner: runs. A range is deleted when its chunk is written.';
grant select, insert, update, delete on run_range to bursar_worker;
grant select on run_range to bursar_app, bursar_auditor;

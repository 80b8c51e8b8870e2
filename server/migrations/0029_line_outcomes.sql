-- A line whose user became ineligible between plan and payment is skipped, and everyone else is paid. The plan itself
-- never changes: its hash was approved.
create table run_line_dropped (
  run_id uuid not null references run,
  user_id uuid not null,
  cause_id uuid not null,
  skip skip_reason not null,
  primary key (run_id, user_id, cause_id)
);
comment on table run_line_dropped is 'owner: runs. Append-only. Planned payments that were skipped when their chunk was paid.';
create trigger run_line_dropped_is_append_only before update or delete or truncate on run_line_dropped
for each statement execute function stop_rewriting();

-- The sums of the dropped lines of a chunk. What it paid is its plan without them.
alter table run_chunk
  add column dropped_lines bigint not null default 0,
  add column dropped_base bigint not null default 0,
  add column dropped_bonus bigint not null default 0,
  add column dropped_loyalty bigint not null default 0,
  add column dropped_closing bigint not null default 0,
  add column dropped_completes bigint not null default 0,
  add column dropped_returned bigint not null default 0;
create index run_chunk_with_dropped on run_chunk (run_id) where dropped_lines > 0;

-- Chunks that failed come last, and those that failed too often are left to an administrator.
drop index run_chunk_open;
create index run_chunk_open on run_chunk (run_id, failures, no) where paid_at is null;

create or replace function run_chunk_stays_planned() returns trigger
language plpgsql as $$
declare
  of_payment text[] := '{paid_at,transfers,failures,failure,dropped_lines,dropped_base,dropped_bonus,dropped_loyalty,dropped_closing,dropped_completes,dropped_returned}';
begin
  if old.paid_at is not null or to_jsonb(old) - of_payment is distinct from to_jsonb(new) - of_payment then
    raise exception 'a plan cannot be changed, and is paid once' using errcode = 'BU002';
  end if;
  return new;
end
$$;

-- Locks and returns the balances of the users whom a reversal would take money from, so that nobody spends it meanwhile.
-- The worker cannot write the table, and needs the right to update it for a lock.
create function lock_balances(run_id uuid, day date, after_user uuid, to_user uuid) returns setof user_total
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select total.* from user_total as total
  where total.user_id in (
    select line.user_id from run_line as line
    where line.run_id = $1 and line.day = $2 and line.user_id > $3 and line.user_id <= $4 and line.skip is null
  )
  order by total.user_id for update;
end;
revoke execute on function lock_balances from public;
grant execute on function lock_balances to bursar_worker;

-- Retry lets a chunk that failed be tried again.
grant update (failures) on run_chunk to bursar_app;
grant select on run_line_dropped to bursar_app, bursar_worker, bursar_auditor;
grant insert on run_line_dropped to bursar_worker;

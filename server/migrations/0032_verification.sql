-- A verification of everything takes longer every day. From here on, triggers list what changed since the last
-- verification, and that verification keeps the sums that it found, so the next one reads only what is new.

-- The transfers that one statement posted for one day. A row is visible exactly when its transfers are, so a
-- verification never misses a transaction that commits late. No number or time could promise that: sessions draw
-- numbers ahead, and transactions commit in any order.
create table unverified_batch (
  day date not null,
  ids int8multirange not null,
  transfers bigint not null
);
comment on table unverified_batch is 'owner: ledger. Written by a trigger of transfer alone; a verification deletes what it has verified.';

-- What transfers are posted for, whenever it changes. `part` is the number of a chunk.
create table unverified_cause (
  kind text not null,
  cause_id uuid not null,
  part integer
);
comment on table unverified_cause is 'owner: ledger. Written by triggers alone; a verification deletes what it has verified.';

-- Most statements have consecutive numbers. Beside another session a statement has them in stretches, because sessions
-- draw a hundred at a time; a range for every number would cost as much as the other triggers together.
create function unverified_batch_added() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  batch record;
  numbers int8multirange;
begin
  for batch in select day, min(id) as first, max(id) as last, count(*) as transfers from posted group by day loop
    numbers := int8range(batch.first, batch.last, '[]')::int8multirange;
    if batch.last - batch.first + 1 <> batch.transfers then
      with hundred as (
        select id / 100 as no, min(id) as first, max(id) as last, max(id) - min(id) + 1 = count(*) as is_consecutive
        from posted where day = batch.day group by id / 100
      )
      select range_agg(ids) into numbers from (
        select int8range(first, last, '[]') as ids from hundred where is_consecutive
        union all
        select int8range(id, id, '[]') from posted join hundred on no = id / 100
        where day = batch.day and not is_consecutive
      ) as stretch;
    end if;
    insert into unverified_batch (day, ids, transfers) values (batch.day, numbers, batch.transfers);
  end loop;
  return null;
end
$$;
create trigger unverified_batch_added after insert on transfer
referencing new table as posted for each statement execute function unverified_batch_added();

create function unverified_cause_added() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into unverified_cause (kind, cause_id) select tg_argv[0], id from changed;
  return null;
end
$$;
create trigger unverified_cause_inserted after insert on deposit
referencing new table as changed for each statement execute function unverified_cause_added('deposit');
create trigger unverified_cause_inserted after insert on adjustment
referencing new table as changed for each statement execute function unverified_cause_added('adjustment');
create trigger unverified_cause_updated after update on adjustment
referencing new table as changed for each statement execute function unverified_cause_added('adjustment');
create trigger unverified_cause_inserted after insert on withdrawal
referencing new table as changed for each statement execute function unverified_cause_added('withdrawal');
create trigger unverified_cause_updated after update on withdrawal
referencing new table as changed for each statement execute function unverified_cause_added('withdrawal');
create trigger unverified_cause_inserted after insert on task
referencing new table as changed for each statement execute function unverified_cause_added('task');
create trigger unverified_cause_updated after update on task
referencing new table as changed for each statement execute function unverified_cause_added('task');
create trigger unverified_cause_inserted after insert on stake
referencing new table as changed for each statement execute function unverified_cause_added('stake');
create trigger unverified_cause_updated after update on stake
referencing new table as changed for each statement execute function unverified_cause_added('stake');

-- A run is verified as a whole once it has ended, and its chunks as they are paid.
create function unverified_run_added() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into unverified_cause (kind, cause_id) select 'run', id from changed where ended_at is not null;
  return null;
end
$$;
create trigger unverified_cause_updated after update on run
referencing new table as changed for each statement execute function unverified_run_added();

create function unverified_chunk_added() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into unverified_cause (kind, cause_id, part)
  select 'run-chunk', run_id, no from changed where paid_at is not null;
  return null;
end
$$;
create trigger unverified_cause_updated after update on run_chunk
referencing new table as changed for each statement execute function unverified_chunk_added();

-- Other triggers can be turned off for a session. These stay on, so that rows posted that way are verified as well.
alter table transfer enable always trigger unverified_batch_added;
alter table deposit enable always trigger unverified_cause_inserted;
alter table adjustment enable always trigger unverified_cause_inserted, enable always trigger unverified_cause_updated;
alter table withdrawal enable always trigger unverified_cause_inserted, enable always trigger unverified_cause_updated;
alter table task enable always trigger unverified_cause_inserted, enable always trigger unverified_cause_updated;
alter table stake enable always trigger unverified_cause_inserted, enable always trigger unverified_cause_updated;
alter table run enable always trigger unverified_cause_updated;
alter table run_chunk enable always trigger unverified_cause_updated;

-- The totals, balances and counts at the last verification that passed. A migration that changes transfers or totals
-- empties these tables, and the next verification then reads everything.
create table verified_total (like user_total, primary key (user_id));
comment on table verified_total is 'owner: ledger. Written by the verification alone. It has the columns of user_total.';
create table verified_balance (
  account ledger_account not null,
  asset asset not null,
  units bigint not null,
  primary key (account, asset)
);
comment on table verified_balance is 'owner: ledger. Written by the verification alone. Its lock admits one verification at a time.';
create table verified_count (
  kind transfer_kind primary key,
  transfers bigint not null
);
comment on table verified_count is 'owner: ledger. Written by the verification alone.';

create table ledger_verification (
  id uuid primary key default uuid_v7(),
  form text not null check (form in ('full', 'incremental')),
  started_at timestamptz not null default now(),
  ended_at timestamptz not null default clock_timestamp(),
  -- How many transfers it read: all, or the new ones.
  transfers bigint not null,
  -- Codes with their parameters (contract/src/ledger-verification.ts).
  differences jsonb not null,
  -- Everything that this snapshot sees is verified; null if there are differences.
  point pg_snapshot,
  check ((differences = '[]') = (point is not null))
);
comment on table ledger_verification is 'owner: ledger. Append-only.';
create index ledger_verification_failed on ledger_verification (id) where point is null;
create trigger ledger_verification_is_append_only before update or delete or truncate on ledger_verification
for each statement execute function stop_rewriting();

grant select, delete on unverified_batch, unverified_cause to bursar_worker;
grant select, insert, update, delete on verified_total, verified_balance, verified_count to bursar_worker;
grant select, insert on ledger_verification to bursar_worker;
grant select on ledger_verification to bursar_app;
grant select on unverified_batch, unverified_cause, verified_total, verified_balance, verified_count, ledger_verification
to bursar_auditor;

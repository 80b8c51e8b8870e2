-- In the order in which the list sorts them.
create type ticket_status as enum ('open', 'in_progress', 'awaiting_user', 'resolved', 'closed', 'rejected');

create table ticket (
  id uuid primary key default uuid_v7(),
  type text not null check (length(type) between 1 and 200),
  description text not null check (length(description) between 1 and 5000),
  username text not null,
  status ticket_status not null default 'open',
  response text,
  opened_by uuid references admin,
  created_at timestamptz not null default now(),
  search_text text not null generated always as (lower(type || ' ' || username || ' ' || id::text)) stored
);
comment on table ticket is 'owner: tickets.';

-- One index for each way the list can be ordered, once over all and once within a status: a page is a
-- short walk along one of them at any size.
create index ticket_by_created on ticket (created_at, id);
create index ticket_by_type on ticket (type, id);
create index ticket_by_username on ticket (username, id);
create index ticket_by_status on ticket (status, id);
create index ticket_by_status_created on ticket (status, created_at, id);
create index ticket_by_status_type on ticket (status, type, id);
create index ticket_by_status_username on ticket (status, username, id);
create index ticket_by_search on ticket using gin (search_text gin_trgm_ops);

create table ticket_reply (
  id uuid primary key default uuid_v7(),
  ticket_id uuid not null references ticket,
  sender text not null,
  sender_id uuid references admin,
  message text not null check (length(message) between 1 and 5000),
  created_at timestamptz not null default clock_timestamp()
);
comment on table ticket_reply is 'owner: tickets.';
create index ticket_reply_by_ticket on ticket_reply (ticket_id, created_at, id);

-- Totals without counting. Each statement appends what it changed; a job folds the rows together.
-- Appending, because a counter row that everyone updates would queue everyone up behind it.
create table ticket_count (
  status ticket_status not null,
  delta bigint not null
);
comment on table ticket_count is 'owner: tickets. The total is the sum of delta.';

create function ticket_count_inserted() returns trigger
language plpgsql as $$
begin
  insert into ticket_count (status, delta) select status, count(*) from added group by status;
  return null;
end
$$;
create trigger ticket_count_inserted after insert on ticket
referencing new table as added for each statement execute function ticket_count_inserted();

create function ticket_count_updated() returns trigger
language plpgsql as $$
begin
  insert into ticket_count (status, delta)
  select status, sum(one)
  from (select status, 1 as one from now_is union all select status, -1 from was) as moved
  group by status
  having sum(one) <> 0;
  return null;
end
$$;
create trigger ticket_count_updated after update on ticket
referencing old table as was new table as now_is for each statement execute function ticket_count_updated();

create trigger ticket_is_never_deleted before delete or truncate on ticket
for each statement execute function stop_rewriting();

grant select, insert, update on ticket to bursar_app;
grant select, insert on ticket_reply to bursar_app;
grant select, insert on ticket_count to bursar_app;
grant select, insert, delete on ticket_count to bursar_worker;
grant select on ticket, ticket_reply to bursar_worker;
grant select on ticket, ticket_reply, ticket_count to bursar_auditor;

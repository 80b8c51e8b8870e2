create type task_status as enum ('Active', 'Completed');

create table task (
  id uuid primary key default uuid_v7(),
  user_id uuid not null references platform_user,
  post_url text not null,
  title text not null check (length(title) between 1 and 200),
  description text not null check (length(description) <= 5000),
  reward_usd bigint not null check (reward_usd > 0),
  deadline date not null,
  status task_status not null default 'Active',
  rewarded boolean not null default false,
  rewarded_at timestamptz,
  created_at timestamptz not null default now(),
  version integer not null default 1,
  check (rewarded = (rewarded_at is not null))
);
comment on table task is 'owner: tasks.';

create index task_by_created on task (created_at, id);
create index task_by_deadline on task (deadline, id);
create index task_by_reward on task (reward_usd, id);
create index task_by_status_created on task (status, created_at, id);
create index task_by_status_deadline on task (status, deadline, id);
create index task_by_status_reward on task (status, reward_usd, id);
create index task_by_user on task (user_id, created_at, id);
create index task_by_title on task using gin (lower(title) gin_trgm_ops);
create trigger task_is_never_deleted before delete or truncate on task
for each statement execute function stop_rewriting();

-- Each statement appends what it changed; a job folds the rows together. See ticket_count.
create table task_count (
  status task_status not null,
  delta bigint not null
);
comment on table task_count is 'owner: tasks. The total is the sum of delta.';

create function task_count_inserted() returns trigger
language plpgsql as $$
begin
  insert into task_count (status, delta) select status, count(*) from added group by status;
  return null;
end
$$;
create trigger task_count_inserted after insert on task
referencing new table as added for each statement execute function task_count_inserted();

create function task_count_updated() returns trigger
language plpgsql as $$
begin
  insert into task_count (status, delta)
  select status, sum(one)
  from (select status, 1 as one from now_is union all select status, -1 from was) as moved
  group by status
  having sum(one) <> 0;
  return null;
end
$$;
create trigger task_count_updated after update on task
referencing old table as was new table as now_is for each statement execute function task_count_updated();

grant select, insert, update on task to bursar_app;
grant select, insert on task_count to bursar_app, bursar_worker;
grant delete on task_count to bursar_worker;
grant select on task to bursar_worker;
grant select on task, task_count to bursar_auditor;

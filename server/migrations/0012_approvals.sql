create type approval_kind as enum ('withdrawal', 'adjustment', 'task');
create type approval_state as enum ('waiting', 'approved', 'denied', 'expired', 'void');

-- What one administrator asks for and another decides.
create table approval (
  id uuid primary key default uuid_v7(),
  kind approval_kind not null,
  -- The withdrawal, adjustment or task that is asked for.
  subject_id uuid not null,
  -- Exactly what would be done, and the digest of it: whoever decides, decides that and nothing else.
  payload jsonb not null,
  digest text not null,
  asked_by uuid not null references admin,
  asked_at timestamptz not null default now(),
  expires_at timestamptz not null,
  state approval_state not null default 'waiting',
  decided_by uuid references admin,
  decided_at timestamptz,
  reason text,
  -- The installation has one administrator, and said so.
  alone boolean not null default false,
  check (expires_at > asked_at),
  check ((state in ('approved', 'denied')) = (decided_by is not null)),
  check ((state = 'waiting') = (decided_at is null)),
  check (state <> 'denied' or reason is not null),
  check (state <> 'approved' or decided_by <> asked_by or alone)
);
comment on table approval is 'owner: approvals.';
create unique index approval_waiting on approval (kind, subject_id) where state = 'waiting';
create index approval_by_time on approval (asked_at, id);
create index approval_by_subject on approval (subject_id, asked_at);

-- A decision is final.
create function approval_stays_decided() returns trigger
language plpgsql as $$
begin
  if old.state <> 'waiting' then perform refuse('ApprovalDecided'); end if;
  if (old.kind, old.subject_id, old.payload, old.digest, old.asked_by, old.asked_at, old.expires_at)
    is distinct from (new.kind, new.subject_id, new.payload, new.digest, new.asked_by, new.asked_at, new.expires_at) then
    raise exception 'what was asked for cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger approval_stays_decided before update on approval
for each row execute function approval_stays_decided();
create trigger approval_is_never_deleted before delete or truncate on approval
for each statement execute function stop_rewriting();

-- From which amount on a second person is needed. Every save is a row of its own.
create table approval_limit (
  kind approval_kind not null,
  version integer not null check (version >= 1),
  limit_usd bigint not null check (limit_usd >= 0),
  saved_by uuid references admin,
  saved_at timestamptz not null default now(),
  primary key (kind, version)
);
comment on table approval_limit is 'owner: approvals. Append-only; the highest version is in force.';
create trigger approval_limit_is_append_only before update or delete or truncate on approval_limit
for each statement execute function stop_rewriting();
insert into approval_limit (kind, version, limit_usd)
values ('withdrawal', 1, 1000000000), ('adjustment', 1, 100000000), ('task', 1, 1000000000);

-- What was asked for stays what it was: its amount is held, and its wallet was seen by whoever approved it.
create or replace function withdrawal_stays_decided() returns trigger
language plpgsql as $$
begin
  if old.status <> 'Pending' then perform refuse('WithdrawalDecided'); end if;
  if (old.id, old.user_id, old.amount_usd, old.wallet, old.created_at)
    is distinct from (new.id, new.user_id, new.amount_usd, new.wallet, new.created_at) then
    raise exception 'what was asked for cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;

-- Who asked for the second approval; nobody, where one person decided alone.
alter table withdrawal add column prepared_by uuid references admin;
create index withdrawal_by_decider on withdrawal (decided_by, decided_at) where decided_by is not null;

alter table task add column rewarded_by uuid references admin;
alter table task add column prepared_by uuid references admin;
create index task_by_rewarder on task (rewarded_by, rewarded_at) where rewarded_by is not null;

grant select, insert, update on approval to bursar_app;
grant select, update on approval to bursar_worker;
grant select on approval_limit to bursar_app, bursar_worker;
grant select on approval, approval_limit to bursar_auditor;

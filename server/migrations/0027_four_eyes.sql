-- One rule for every request: who may make it, who may approve it, and how much an administrator may move alone. The
-- application and the triggers call the same functions.

-- The kinds of requests. A request for a change of limits names a limit that no longer exists, so it cannot be decided.
update approval set state = 'void', decided_at = now()
where state = 'waiting' and (kind = 'limit' or digest_version = 1);
drop index approval_waiting;
alter type approval_kind rename to approval_kind_before;
create type approval_kind as enum (
  'withdrawal', 'adjustment', 'task', 'run', 'settings', 'limit', 'grant', 'repair', 'plan',
  'promotion', 'demotion', 'removal', 'account'
);
alter table approval alter column kind type approval_kind using kind::text::approval_kind;
create unique index approval_waiting on approval (kind, subject_id) where state = 'waiting';

-- An administrator has one daily limit for everything that they move alone. Scheduled runs have a limit of their own.
create type limit_kind as enum ('alone', 'adjustment', 'schedule');
alter table approval_limit disable trigger approval_limit_is_append_only;
create temporary table lowest_limit on commit drop as
  select min(limit_units) as units from (
    select distinct on (kind) limit_units from approval_limit
    where asset = 'USD' and kind in ('withdrawal', 'task', 'run') order by kind, version desc
  ) as in_force;
delete from approval_limit where kind in ('withdrawal', 'task');
alter table approval_limit drop constraint approval_limit_pkey;
alter table approval_limit
  alter column kind type limit_kind
  using (case kind::text when 'run' then 'schedule' else 'adjustment' end)::limit_kind;
alter table approval_limit add primary key (kind, asset, version);
insert into approval_limit (kind, asset, version, limit_units)
select 'alone'::limit_kind, 'USD'::asset, 1, units from lowest_limit union all select 'alone', 'GMP', 1, 0;
drop table lowest_limit;
alter table approval_limit enable trigger approval_limit_is_append_only;

delete from approval_limit_change;
alter table approval_limit_change drop constraint approval_limit_change_pkey;
alter table approval_limit_change alter column kind type limit_kind using 'alone'::limit_kind;
alter table approval_limit_change add primary key (kind, asset);
drop type approval_kind_before;

-- The thresholds of the ranks decide who is paid, so a change of them also waits for a second approver.
alter table job_settings_change
  drop constraint job_settings_change_job_check,
  add constraint job_settings_change_job_check
    check (job in ('stake-payout', 'gmp-distro', 'referral-check', 'rank-bonus', 'rank-promotion'));

create function limit_of(limit_kind, asset) returns bigint
language sql stable
return coalesce(
  (select limit_units from approval_limit where kind = $1 and asset = $2 order by version desc limit 1), 0);

-- Every decision that lets money move is a row, also if one administrator may decide alone. `units` is what it lets
-- move; it is null for requests that move nothing by themselves.
create type approval_rule as enum ('second', 'limit', 'single', 'schedule');
alter table approval
  alter column requested_by drop not null,
  add column asset asset,
  add column units bigint check (units >= 0),
  add column rule approval_rule,
  drop constraint approval_check1,
  drop constraint approval_check4;
alter table approval disable trigger approval_stays_decided;
update approval set rule = case when alone then 'single' else 'second' end::approval_rule where state = 'approved';
update approval set asset = moved.asset, units = moved.units
from (
  select id, 'USD'::asset as asset, amount_usd as units from withdrawal
  union all select id, asset, abs(units) from adjustment
  union all select id, 'USD'::asset, reward_usd from task
  union all
  select id, asset, pays + sets_aside + releases + case when reverses is null then 0 else returned end from run
) as moved
where moved.id = approval.subject_id and approval.kind in ('withdrawal', 'adjustment', 'task', 'run');
alter table approval enable trigger approval_stays_decided;
alter table approval
  drop column alone,
  add constraint approval_asset_check check ((asset is null) = (units is null)),
  add constraint approval_rule_check check ((state = 'approved') = (rule is not null)),
  add constraint approval_decider_check check (
    case
      when state = 'denied' or rule = 'second' or rule = 'single' or rule = 'limit' then decided_by is not null
      else decided_by is null
    end
  ),
  add constraint approval_own_check check (
    case rule
      when 'second' then decided_by <> requested_by
      when 'single' then decided_by = requested_by
      when 'limit' then decided_by = requested_by and units is not null
      when 'schedule' then requested_by is null and kind = 'run' and units is not null
      else requested_by is not null or kind = 'run'
    end
  );
comment on column approval.rule is
  'Why it was approved: by a second approver, within the limit of its maker, by the single administrator of the installation, or within the limit of the schedule.';

-- The list of requests leaves out what needed no second approver: these are as many as there are withdrawals.
drop index approval_by_time;
create index approval_by_time on approval (requested_at, id) where rule is null or rule in ('second', 'single');
create index approval_within_limit on approval (requested_by, decided_at) where rule = 'limit';

-- The permissions of contract/src/core/permissions.ts that requests need; a test compares them.
create function admin_holds(admin_role, permission_set, permission text) returns boolean
language sql immutable
return case
  when $1 = 'SuperAdmin' then true
  when $3 = 'tasks.write' then $2 is null
  when $3 in ('money.prepare', 'money.approve', 'jobs.write') then $2 is null or $2 = 'Finance'
  else false
end;

create table approval_permission (
  kind approval_kind primary key,
  to_request text not null,
  to_approve text not null
);
comment on table approval_permission is 'owner: approvals. Only migrations change it.';
insert into approval_permission (kind, to_request, to_approve) values
  ('withdrawal', 'money.prepare', 'money.approve'),
  ('adjustment', 'money.prepare', 'money.approve'),
  ('task', 'tasks.write', 'money.approve'),
  ('run', 'money.prepare', 'money.approve'),
  ('settings', 'jobs.write', 'money.approve'),
  ('repair', 'jobs.write', 'money.approve'),
  ('plan', 'jobs.write', 'money.approve'),
  ('promotion', 'jobs.write', 'money.approve'),
  ('account', 'admins.write', 'money.approve'),
  ('limit', 'admins.write', 'admins.write'),
  ('grant', 'admins.write', 'admins.write'),
  ('demotion', 'admins.write', 'admins.write'),
  ('removal', 'admins.write', 'admins.write');

-- Where the right of an account to approve comes from: one row each time that somebody creates it, widens it or gives
-- it a new password. The newest row counts.
create table admin_authority (
  id uuid primary key default uuid_v7(),
  admin_id uuid not null references admin,
  cause text not null check (cause in ('created', 'widened', 'password')),
  -- Null: on the command line of the server.
  given_by uuid references admin,
  given_at timestamptz not null default now(),
  -- The request by which another approver confirms it.
  approval_id uuid references approval
);
comment on table admin_authority is 'owner: approvals. Append-only.';
create index admin_authority_by_admin on admin_authority (admin_id, given_at, id);
create trigger admin_authority_is_append_only before update or delete or truncate on admin_authority
for each statement execute function stop_rewriting();
insert into admin_authority (admin_id, cause, given_by, given_at)
select id, 'created', (
    select actor_id from audit_entry
    where action = 'admins.create' and subject_id = admin.id::text order by seq limit 1
  ), created_at
from admin;

-- From when on an account may approve: at once if it was created on the command line or if another approver has
-- confirmed it, never if that was denied or became void with its maker, and otherwise after 72 hours in which everybody sees a notice.
create function approves_from(admin_id uuid) returns timestamptz
language sql stable
return (
  select case
    when given.given_by is null or approval.state = 'approved' then '-infinity'
    when approval.state in ('denied', 'void') then 'infinity'
    else given.given_at + interval '72 hours'
  end
  from admin_authority as given left join approval on approval.id = given.approval_id
  where given.admin_id = $1
  order by given.given_at desc, given.id desc limit 1
);

-- Who acts through an account: until it is confirmed, whoever gave it its rights.
create function acts_for(admin_id uuid) returns uuid
language plpgsql stable as $$
declare
  behind uuid := admin_id;
  giver uuid;
begin
  -- Two accounts could have given each other their rights, so the search ends somewhere.
  for turn in 1..100 loop
    if approves_from(behind) <= now() then return behind; end if;
    select given.given_by into giver from admin_authority as given
    where given.admin_id = behind order by given.given_at desc, given.id desc limit 1;
    if giver is null then return behind; end if;
    behind := giver;
  end loop;
  return behind;
end
$$;

-- Whether the account can approve requests now, whoever made them.
create function is_approver(admin_id uuid) returns boolean
language sql stable
return exists (
  select from admin join admin_credential as credential on credential.admin_id = admin.id
  where admin.id = $1 and admin.retired_at is null and not credential.temporary
    and admin_holds(admin.role, admin.permission_set, 'money.approve') and approves_from(admin.id) <= now()
);

-- Returns why the administrator may not approve the request, or null. If alone_after is given, the installation has a
-- single administrator, who may approve their own requests after that time.
create function refuse_approving(request approval, decider uuid, alone_after interval) returns text
language plpgsql stable as $$
declare
  needed approval_permission;
  maker admin;
  approver admin;
begin
  if request.state = 'expired' or request.state = 'waiting' and request.expires_at <= now() then
    return 'ApprovalExpired';
  end if;
  if request.state <> 'waiting' then return 'ApprovalDecided'; end if;
  select * into needed from approval_permission where kind = request.kind;
  select * into maker from admin where id = request.requested_by;
  if maker.retired_at is not null or not admin_holds(maker.role, maker.permission_set, needed.to_request) then
    return 'RequesterGone';
  end if;
  select * into approver from admin where id = decider;
  if approver.retired_at is not null or not admin_holds(approver.role, approver.permission_set, needed.to_approve) then
    return 'ApproverNotPermitted';
  end if;
  if request.kind in ('grant', 'account') and request.subject_id = decider then return 'OwnAccount'; end if;
  if request.requested_by = decider then
    if alone_after is null then return 'OwnRequest'; end if;
    if now() < request.requested_at + alone_after then return 'TooEarly'; end if;
  elsif acts_for(request.requested_by) = decider then
    return 'RequesterUnconfirmed';
  end if;
  if not exists (select from admin_credential where admin_id = decider and not temporary) then
    return 'PasswordTemporary';
  end if;
  if coalesce(approves_from(decider), 'infinity') > now() then return 'AccountUnconfirmed'; end if;
  return null;
end
$$;

-- What the administrator has moved alone since midnight UTC, of all kinds or of one.
create function moved_alone_today(maker uuid, of_asset asset, of_kind approval_kind) returns bigint
language sql stable
return (
  select coalesce(sum(units), 0)::bigint from approval
  where requested_by = maker and rule = 'limit' and asset = of_asset and (of_kind is null or kind = of_kind)
    and decided_at >= date_trunc('day', now(), 'UTC')
);

-- What the administrator may move alone in a day. An account that is not confirmed yet moves nothing alone: otherwise
-- whoever creates accounts would have as many limits as accounts.
create function alone_limit_of(maker uuid, of_asset asset) returns bigint
language sql stable
return case when coalesce(approves_from(maker), 'infinity') <= now() then limit_of('alone', of_asset) else 0 end;

-- Decisions of one administrator run one at a time, so that each sees the sum of the others.
create function lock_limit_of(maker uuid) returns void
language sql
return pg_advisory_xact_lock(hashtextextended('approvals ' || maker, 0));

create function is_within_limit(request approval) returns boolean
language sql stable
return case
  when request.requested_by is null then request.units <= limit_of('schedule', request.asset)
  else moved_alone_today(request.requested_by, request.asset, null) + request.units
      <= alone_limit_of(request.requested_by, request.asset)
    and (
      request.kind <> 'adjustment'
      or moved_alone_today(request.requested_by, request.asset, 'adjustment') + request.units
        <= limit_of('adjustment', request.asset)
    )
end;

create or replace function approval_stays_decided() returns trigger
language plpgsql as $$
declare
  refused text;
begin
  if old.state <> 'waiting' then perform refuse('ApprovalDecided'); end if;
  if (old.kind, old.subject_id, old.payload, old.digest, old.digest_version, old.requested_by, old.requested_at,
      old.expires_at, old.asset, old.units)
    is distinct from (new.kind, new.subject_id, new.payload, new.digest, new.digest_version, new.requested_by,
      new.requested_at, new.expires_at, new.asset, new.units) then
    raise exception 'the content of a request cannot be changed' using errcode = 'BU002';
  end if;
  if new.state = 'approved' then
    -- The effect is written in the same transaction, and its trigger looks for a decision of this very time.
    new.decided_at := now();
    if new.rule = 'limit' then perform lock_limit_of(new.requested_by); end if;
    if new.rule in ('limit', 'schedule') then
      if not is_within_limit(old) then perform refuse('AboveLimit'); end if;
    else
      refused := refuse_approving(old, new.decided_by, case when new.rule = 'single' then interval '0' end);
      if refused is not null then perform refuse(refused); end if;
    end if;
  end if;
  return new;
end
$$;

create function approval_starts_waiting() returns trigger
language plpgsql as $$
begin
  if new.state <> 'waiting' then
    raise exception 'a request is inserted before it is decided' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger approval_starts_waiting before insert on approval
for each row execute function approval_starts_waiting();

-- Money moves only in the transaction that decides it, and exactly as much as was decided.
create function assert_decided(approval_kind, subject uuid, moves bigint) returns void
language plpgsql as $$
begin
  if not exists (
    select from approval
    where kind = $1 and subject_id = subject and state = 'approved' and decided_at = now() and units = moves
  ) then
    perform refuse('NotDecided');
  end if;
end
$$;

create function withdrawal_is_decided() returns trigger
language plpgsql as $$
begin
  perform assert_decided('withdrawal', new.id, new.amount_usd);
  return new;
end
$$;
create trigger withdrawal_is_decided before update of status on withdrawal
for each row when (new.status = 'Completed') execute function withdrawal_is_decided();

create function adjustment_is_decided() returns trigger
language plpgsql as $$
begin
  perform assert_decided('adjustment', new.id, abs(new.units));
  return new;
end
$$;
create trigger adjustment_is_decided before update of posted_at on adjustment
for each row execute function adjustment_is_decided();

create function task_is_decided() returns trigger
language plpgsql as $$
begin
  perform assert_decided('task', new.id, new.reward_usd);
  return new;
end
$$;
create trigger task_is_decided before update on task
for each row when (old.rewarded_at is distinct from new.rewarded_at) execute function task_is_decided();

create or replace function run_starts_approved() returns trigger
language plpgsql as $$
declare
  moves bigint := new.pays + new.sets_aside + new.releases + case when new.reverses is null then 0 else new.returned end;
begin
  if old.started_at is not null then
    if (old.started_at, old.started_by, old.approved_by)
      is distinct from (new.started_at, new.started_by, new.approved_by) then
      raise exception 'the start of a run cannot be changed' using errcode = 'BU002';
    end if;
    return new;
  end if;
  if new.started_at is null then return new; end if;
  -- The amount that a run moves is fixed once it is planned, so a run that was never planned cannot start.
  if new.state <> 'running' or old.plan_hash is null then
    raise exception 'a run starts after it was planned' using errcode = 'BU002';
  end if;
  if not exists (
    select from approval
    where kind = 'run' and subject_id = new.id and state = 'approved' and decided_at = now() and units = moves
      and requested_by is not distinct from new.started_by
      and case rule when 'second' then decided_by = new.approved_by when 'single' then decided_by = new.approved_by
        else new.approved_by is null end
      and payload->'facts' @> jsonb_build_array(jsonb_build_object('key', 'planHash', 'value', new.plan_hash))
  ) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;

-- Promotions that wait for a second approver: of one user, with a reason, or of users who have reached a rank by the
-- thresholds of that version.
create table promotion_request (
  id uuid primary key default uuid_v7(),
  reason text check (length(reason) between 1 and 500),
  thresholds_version integer,
  -- Users and their new ranks: [{"user": "…", "to": "Silver"}].
  moves jsonb not null,
  check ((reason is null) <> (thresholds_version is null))
);
comment on table promotion_request is 'owner: users. Append-only.';
create trigger promotion_request_is_append_only before update or delete or truncate on promotion_request
for each statement execute function stop_rewriting();
alter table rank_change add column approved_by uuid references admin;

grant select on approval_permission, admin_authority to bursar_app, bursar_worker, bursar_auditor;
grant insert on admin_authority to bursar_app;
grant insert on approval to bursar_worker;
grant select, insert on promotion_request to bursar_app;
grant select on promotion_request to bursar_auditor;

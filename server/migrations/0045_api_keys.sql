-- The platform itself calls Bursar with an API key. A caller is an administrator or a key: idempotency, audit, rates and
-- permissions know both.

-- A new value of an enum cannot be used in the transaction that adds it, and the row of the new kind is inserted here.
alter type approval_kind add value 'key';
alter table approval_permission alter column kind type text;
insert into approval_permission (kind, to_request, to_approve) values ('key', 'integrations.write', 'integrations.write');

create or replace function refuse_approving(request approval, decider uuid, alone_after interval) returns text
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
  select * into needed from approval_permission where kind = request.kind::text;
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

-- The scopes of contract/src/core/scopes.ts with which a key moves money; a test compares them.
create function moves_money(scopes text[]) returns boolean
language sql immutable
return scopes && array['deposits:write', 'stakes:write', 'withdrawals:write', 'settlement:write'];

create table api_key (
  id uuid primary key default uuid_v7(),
  name text not null check (length(name) between 1 and 80),
  scopes text[] not null check (cardinality(scopes) > 0),
  requests_per_minute integer not null check (requests_per_minute > 0),
  expires_at timestamptz,
  created_by uuid not null references admin,
  created_at timestamptz not null default now(),
  revoked_by uuid references admin,
  revoked_at timestamptz,
  check ((revoked_by is null) = (revoked_at is null))
);
comment on table api_key is 'owner: integrations. Its scopes never change.';

-- Two secrets of a key are valid while it is rotated. The whole secret is shown once; only its digest is stored.
create table api_key_secret (
  id uuid primary key default uuid_v7(),
  api_key_id uuid not null references api_key,
  prefix text not null unique,
  hash bytea not null,
  created_by uuid not null references admin,
  created_at timestamptz not null default now(),
  -- A secret of a key that moves money is valid once a second administrator has approved it.
  approved_at timestamptz,
  -- How long the secrets before it stay valid once this one is.
  overlap_hours integer not null default 0,
  valid_until timestamptz
);
comment on table api_key_secret is 'owner: integrations.';
create index api_key_secret_by_key on api_key_secret (api_key_id, created_at);

create function api_key_secret_is_decided() returns trigger
language plpgsql as $$
declare
  needs_approval boolean := (select moves_money(scopes) from api_key where id = new.api_key_id);
begin
  if tg_op = 'INSERT' then
    if needs_approval and new.approved_at is not null then perform refuse('NotDecided'); end if;
    return new;
  end if;
  if (old.id, old.api_key_id, old.prefix, old.hash, old.created_by, old.created_at, old.overlap_hours)
    is distinct from
      (new.id, new.api_key_id, new.prefix, new.hash, new.created_by, new.created_at, new.overlap_hours)
    or new.valid_until is null and old.valid_until is not null or new.valid_until > old.valid_until then
    raise exception 'a secret of a key can only be approved or end earlier' using errcode = 'BU002';
  end if;
  if old.approved_at is distinct from new.approved_at and not exists (
    select from approval
    where kind::text = 'key' and subject_id = new.id and state = 'approved' and decided_at = now()
      and payload->'facts' @> jsonb_build_array(jsonb_build_object('key', 'keyPrefix', 'value', new.prefix))
  ) then
    perform refuse('NotDecided');
  end if;
  return new;
end
$$;
create trigger api_key_secret_is_decided before insert or update on api_key_secret
for each row execute function api_key_secret_is_decided();

create function api_key_stays_revoked() returns trigger
language plpgsql as $$
begin
  if old.revoked_at is not null then perform refuse('KeyRevoked'); end if;
  return new;
end
$$;
create trigger api_key_stays_revoked before update on api_key
for each row execute function api_key_stays_revoked();

-- What each secret was used for, by hour. Processes add to it every few seconds.
create table api_key_usage (
  secret_id uuid not null references api_key_secret,
  hour timestamptz not null,
  requests bigint not null,
  errors bigint not null,
  last_used_at timestamptz not null,
  primary key (secret_id, hour)
);
comment on table api_key_usage is 'owner: auth. Kept for 90 days.';

-- Requests of each key in the current minute. Losing them in a crash of PostgreSQL is harmless.
create unlogged table api_key_rate (
  key text primary key,
  points integer not null default 0,
  expire bigint
);
comment on table api_key_rate is 'owner: auth. Its columns are those of rate-limiter-flexible.';

alter table answered_call
  drop constraint answered_call_pkey,
  alter column admin_id drop not null,
  add column api_key_id uuid references api_key,
  add constraint answered_call_caller_check check (num_nonnulls(admin_id, api_key_id) = 1),
  add constraint answered_call_key unique nulls not distinct (admin_id, api_key_id, key);

-- The seal of a row covers the key too. Rows without one have the same seal as before.
alter table audit_entry add column api_key_id uuid references api_key;
alter table audit_entry add constraint audit_entry_actor_check check (num_nonnulls(actor_id, api_key_id) <= 1);

grant select, insert on api_key, api_key_secret to bursar_app;
grant update (revoked_by, revoked_at) on api_key to bursar_app;
grant update (approved_at, valid_until) on api_key_secret to bursar_app;
grant select, insert, update on api_key_usage to bursar_app;
grant select, insert, update, delete on api_key_rate to bursar_app;
grant select, delete on api_key_usage, api_key_rate to bursar_worker;
grant select on api_key to bursar_worker, bursar_auditor;
grant select (id, api_key_id, prefix, created_by, created_at, approved_at, valid_until) on api_key_secret to bursar_auditor;
grant select on api_key_usage to bursar_auditor;

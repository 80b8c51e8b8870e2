create type admin_role as enum ('Admin', 'SuperAdmin');
create type permission_set as enum ('Support', 'Finance', 'Auditor');

create table admin (
  id uuid primary key default uuid_v7(),
  username text not null check (username ~ '^[A-Za-z0-9][A-Za-z0-9._-]{2,31}$'),
  role admin_role not null,
  permission_set permission_set,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  constraint admin_super_is_not_narrowed check (role = 'Admin' or permission_set is null)
);
comment on table admin is 'owner: admins. Retired, never deleted: audit rows refer to it.';

create unique index admin_username_key on admin (lower(username)) where retired_at is null;

-- Here and not in the panel, so that no caller and no race gets around it: a SuperAdmin cannot be
-- retired, and the last one cannot step down. The lock queues up two who step down at once.
create function admin_guard() returns trigger
language plpgsql as $$
begin
  if old.role = 'SuperAdmin' and new.retired_at is not null then
    perform refuse('SuperAdminUndeletable');
  end if;
  if old.role = 'SuperAdmin' and new.role <> 'SuperAdmin' then
    perform pg_advisory_xact_lock(hashtext('admin.last-super'));
    if not exists (select from admin where role = 'SuperAdmin' and retired_at is null and id <> old.id) then
      perform refuse('LastSuperAdmin');
    end if;
  end if;
  new.version := old.version + 1;
  return new;
end
$$;
create trigger admin_guard before update on admin for each row execute function admin_guard();
create trigger admin_is_never_deleted before delete or truncate on admin for each statement execute function stop_rewriting();

create table admin_credential (
  admin_id uuid primary key references admin,
  password_hash text not null,
  -- Set by another administrator: to be changed at the first sign-in.
  temporary boolean not null,
  changed_at timestamptz not null default now()
);
comment on table admin_credential is 'owner: auth. Apart from admin, so that no list can select a hash by accident.';

create table session (
  id uuid primary key default uuid_v7(),
  admin_id uuid not null references admin,
  token_hash bytea not null unique,
  -- Only browsers have one: then the token alone is worth nothing.
  cookie_hash bytea,
  network text not null,
  device text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  ends_at timestamptz not null
);
comment on table session is 'owner: auth.';
create index session_by_admin on session (admin_id, created_at);
create index session_by_end on session (ends_at);
create index session_by_use on session (last_used_at);

create table known_device (
  device_hash bytea not null,
  admin_id uuid not null references admin,
  last_seen_at timestamptz not null default now(),
  primary key (device_hash, admin_id)
);
comment on table known_device is 'owner: auth. A browser from which this administrator has signed in before.';

create table login_attempt (
  key text primary key,
  points integer not null default 0,
  expire bigint
);
comment on table login_attempt is 'owner: auth. Failed sign-ins by lane; its columns are those of rate-limiter-flexible.';

grant select, insert, update on admin to bursar_app;
grant select, insert, update on admin_credential to bursar_app;
grant select, insert, update, delete on session, known_device, login_attempt to bursar_app;
grant select on admin to bursar_worker, bursar_auditor;
grant select, delete on session, known_device, login_attempt to bursar_worker;

-- A second factor beside the password: an authenticator app, and recovery codes for the day when the phone is lost.
create table totp_factor (
  admin_id uuid primary key references admin,
  -- Encrypted with a key outside the database and bound to the administrator.
  sealed bytea not null,
  created_at timestamptz not null default now(),
  -- Null until the administrator has entered the first code.
  confirmed_at timestamptz,
  -- The last step of 30 seconds whose code was accepted. No code of this step or an earlier one is accepted again.
  last_step bigint not null default 0
);
comment on table totp_factor is 'owner: auth. The authenticator app of an administrator.';

create table recovery_code (
  id uuid primary key,
  admin_id uuid not null references admin,
  -- SHA-256 of 80 random bits and the administrator, encrypted like the secret above.
  sealed bytea not null
);
create index recovery_code_by_admin on recovery_code (admin_id);
comment on table recovery_code is 'owner: auth. Deleted when it is used.';

-- The last accepted step never decreases.
create function totp_step_only_grows() returns trigger
language plpgsql as $$
begin
  if new.sealed = old.sealed and new.last_step < old.last_step then
    raise exception 'a code cannot become valid again' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger totp_step_only_grows before update on totp_factor
for each row execute function totp_step_only_grows();

-- The second factor of this sign-in. Null if there was none.
alter table session add column factor text check (factor in ('totp', 'recovery', 'passkey', 'provider'));

grant select, insert, update, delete on totp_factor to bursar_app;
grant select, insert, delete on recovery_code to bursar_app;

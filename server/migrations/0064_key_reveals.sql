-- A Super Admin can see the private key of a user once, after a second approver has agreed. No process reads the
-- encrypted key by itself: only the function below returns it, for an approved request that was not opened before.

-- A new value of an enum cannot be used in the transaction that adds it, so functions compare the kind as text.
alter type approval_kind add value 'reveal';
insert into approval_permission (kind, to_request, to_approve) values ('reveal', 'secrets.reveal', 'secrets.reveal');

create table key_reveal (
  id uuid primary key default uuid_v7(),
  user_id uuid not null references platform_user,
  requested_by uuid not null references admin,
  requested_at timestamptz not null default now(),
  reason text not null check (length(reason) between 1 and 500),
  -- When the key was shown. Only the function below sets it.
  opened_at timestamptz
);
comment on table key_reveal is 'owner: users. The subject of a request of the kind reveal.';
create index key_reveal_by_user on key_reveal (user_id, requested_by, id);
create index key_reveal_by_opened on key_reveal (opened_at, id) where opened_at is not null;
create trigger key_reveal_is_never_deleted before delete or truncate on key_reveal
for each statement execute function stop_rewriting();

-- A request stays what was approved, and an opened key stays opened, also for the owner of the tables.
create function key_reveal_opens_once() returns trigger
language plpgsql as $$
begin
  if old.opened_at is not null then perform refuse('KeyOpened'); end if;
  if (old.id, old.user_id, old.requested_by, old.requested_at, old.reason)
    is distinct from (new.id, new.user_id, new.requested_by, new.requested_at, new.reason) then
    raise exception 'the content of a request cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger key_reveal_opens_once before update on key_reveal
for each row execute function key_reveal_opens_once();

-- Marks the request as opened and returns the encrypted key. The row lock lets one of many concurrent calls through.
create function open_user_key(reveal uuid, opener uuid) returns bytea
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  found_reveal key_reveal;
  request approval;
  sealed bytea;
begin
  select * into found_reveal from key_reveal where id = reveal and requested_by = opener for update;
  if not found then perform refuse('RevealNotFound'); end if;
  if found_reveal.opened_at is not null then perform refuse('KeyOpened'); end if;
  select * into request from approval where kind::text = 'reveal' and subject_id = reveal and requested_by = opener
  order by requested_at desc limit 1;
  if request.expires_at <= now() then perform refuse('RevealExpired'); end if;
  if request.state is distinct from 'approved'
    or request.payload->>'userUuid' is distinct from found_reveal.user_id::text
    or not exists (
      select from admin
      where id = opener and retired_at is null and admin_holds(role, permission_set, 'secrets.reveal')
    ) then
    perform refuse('RevealNotApproved');
  end if;
  select secret.sol_private_key into sealed
  from platform_user join user_secret as secret on secret.user_id = platform_user.id
  where platform_user.id = found_reveal.user_id and platform_user.retired_at is null;
  if sealed is null then perform refuse('UserNotFound'); end if;
  update key_reveal set opened_at = now() where id = reveal;
  return sealed;
end
$$;
revoke execute on function open_user_key from public;

-- The platform owns the sign-in of its users. A reset deletes what is stored of the password, and never sets another.
alter table user_secret add column password_reset_at timestamptz;
create function reset_user_password(of_user uuid) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into user_secret (user_id, password_reset_at) values (of_user, now())
  on conflict (user_id) do update set password_hash = null, token_digest = null, password_reset_at = now();
$$;
revoke execute on function reset_user_password from public;

grant select on key_reveal to bursar_app, bursar_auditor;
grant insert (user_id, requested_by, reason) on key_reveal to bursar_app;
grant select (password_reset_at) on user_secret to bursar_app;
grant execute on function open_user_key, reset_user_password to bursar_app;

-- Two administrators together recover a third one who is locked out: one requests it and another approves it. The
-- requester then gets a temporary password for them, once. The command line of the server can do the same.

-- A new value of an enum cannot be used in the transaction that adds it, so functions compare the kind as text.
alter type approval_kind add value 'recovery';
insert into approval_permission (kind, to_request, to_approve) values ('recovery', 'admins.write', 'admins.write');

-- Nobody approves the recovery of their own account. Only this condition of the function changes.
do $$
declare
  definition text := pg_get_functiondef('refuse_approving'::regproc);
  condition text := $c$request.kind in ('grant', 'account')$c$;
begin
  if strpos(definition, condition) = 0 then raise exception 'refuse_approving does not compare the subject'; end if;
  execute replace(definition, condition, $c$request.kind::text in ('grant', 'account', 'recovery')$c$);
end
$$;

create table admin_recovery (
  id uuid primary key default uuid_v7(),
  admin_id uuid not null references admin,
  -- These three are null for a recovery on the command line.
  reason text check (length(reason) between 1 and 500),
  requested_by uuid references admin,
  approval_id uuid unique references approval,
  -- When the temporary password was set.
  recovered_at timestamptz,
  check ((requested_by is null) = (approval_id is null)),
  check ((requested_by is null) = (reason is null)),
  check (requested_by is not null or recovered_at is not null),
  check (requested_by <> admin_id)
);
comment on table admin_recovery is 'owner: admins. How administrators who were locked out got a temporary password.';
create index admin_recovery_by_admin on admin_recovery (admin_id, id);
create trigger admin_recovery_is_never_deleted before delete or truncate on admin_recovery
for each statement execute function stop_rewriting();

-- A requested recovery starts open, and is completed once, after a second administrator has approved it.
create function admin_recovery_is_decided() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.requested_by is not null and new.recovered_at is not null then perform refuse('RecoveryNotApproved'); end if;
    return new;
  end if;
  if old.recovered_at is not null then perform refuse('RecoveryCompleted'); end if;
  if (old.id, old.admin_id, old.reason, old.requested_by, old.approval_id)
    is distinct from (new.id, new.admin_id, new.reason, new.requested_by, new.approval_id) then
    raise exception 'the content of a recovery cannot be changed' using errcode = 'BU002';
  end if;
  if not exists (
    select from approval
    where id = new.approval_id and kind::text = 'recovery' and subject_id = new.admin_id and state = 'approved'
      and requested_by = new.requested_by and expires_at > now()
  ) then
    perform refuse('RecoveryNotApproved');
  end if;
  return new;
end
$$;
create trigger admin_recovery_is_decided before insert or update on admin_recovery
for each row execute function admin_recovery_is_decided();

grant select, insert, update (recovered_at) on admin_recovery to bursar_app;
grant select on admin_recovery to bursar_auditor;

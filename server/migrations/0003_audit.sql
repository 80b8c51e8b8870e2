create table audit_entry (
  -- Without gaps: a missing number is a missing row.
  seq bigint primary key,
  at timestamptz(3) not null,
  actor_id uuid references admin,
  action text not null,
  subject_id text,
  -- Text and not jsonb: the seal covers these very characters.
  details text not null,
  seal bytea not null
);
comment on table audit_entry is 'owner: audit. Append-only; each row is sealed together with the one before it.';
create index audit_entry_by_actor on audit_entry (actor_id, seq);
create index audit_entry_by_subject on audit_entry (subject_id, seq);

create trigger audit_entry_is_append_only
before update or delete or truncate on audit_entry
for each statement execute function stop_rewriting();

-- Nobody can write far ahead and leave no number for those who come after.
create function audit_entry_is_next() returns trigger
language plpgsql as $$
begin
  if new.seq <> coalesce((select max(seq) from audit_entry), 0) + 1 then
    raise exception 'audit row % is not the next one', new.seq using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger audit_entry_is_next before insert on audit_entry
for each row execute function audit_entry_is_next();

grant select, insert on audit_entry to bursar_app, bursar_worker;
grant select on audit_entry to bursar_auditor;

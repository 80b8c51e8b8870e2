-- Roles of the database. They are groups without a login: an installation grants them to the
-- logins of its processes; in development the processes take them on by themselves.
do $$
declare
  group_role text;
begin
  foreach group_role in array array['bursar_app', 'bursar_worker', 'bursar_auditor'] loop
    -- Roles belong to the whole cluster: another database on it may have made them, or be making them now.
    begin
      execute format('create role %I nologin', group_role);
    exception
      when duplicate_object or unique_violation then null;
    end;
    if not pg_has_role(current_user, group_role, 'member') then
      execute format('grant %I to current_user', group_role);
    end if;
  end loop;
end
$$;

create extension if not exists pg_trgm;

revoke create on schema public from public;
grant usage on schema public to bursar_app, bursar_worker, bursar_auditor;

-- Ids that grow with time keep indexes dense at a billion rows, and say nothing about how many there are.
create function uuid_v7() returns uuid
language sql volatile parallel safe
return encode(
  set_bit(
    set_bit(
      overlay(
        uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6
      ),
      52, 1
    ),
    53, 1
  ),
  'hex'
)::uuid;

-- A rule of the product that the database itself refuses to break. The message is the refusal's code.
create function refuse(code text) returns void
language plpgsql as $$
begin
  raise exception using errcode = 'BU001', message = code;
end
$$;

create function stop_rewriting() returns trigger
language plpgsql as $$
begin
  raise exception '% is append-only: % is not allowed', tg_table_name, tg_op using errcode = 'BU002';
end
$$;

-- The roles bursar_app, bursar_worker and bursar_auditor are groups without a login: an installation grants them to the
-- logins of its processes. They belong to the cluster and not to this database, so ensureRoles (src/db/roles.ts)
-- creates them before every migration.

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

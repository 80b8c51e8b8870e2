-- A request holds keys and values in place of the words that people read, so that its digest does not depend on them.
-- Requests that were made before keep version 1 and are decided by it.
alter table approval add column digest_version smallint not null default 1;
alter table approval alter column digest_version set default 2;

create or replace function approval_stays_decided() returns trigger
language plpgsql as $$
begin
  if old.state <> 'waiting' then perform refuse('ApprovalDecided'); end if;
  if (old.kind, old.subject_id, old.payload, old.digest, old.digest_version, old.asked_by, old.asked_at, old.expires_at)
    is distinct from (new.kind, new.subject_id, new.payload, new.digest, new.digest_version, new.asked_by, new.asked_at,
      new.expires_at) then
    raise exception 'what was asked for cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;

-- The same as before, with the key of the plan's hash; a request of version 1 has its label instead.
create or replace function run_begins_approved() returns trigger
language plpgsql as $$
declare
  moves bigint := new.pays + new.sets_aside + new.releases + case when new.reverses is null then 0 else new.returned end;
  may_move bigint;
begin
  if old.begun_at is not null then
    if (old.begun_at, old.begun_by, old.approved_by) is distinct from (new.begun_at, new.begun_by, new.approved_by) then
      raise exception 'who began a run, and when, cannot be changed' using errcode = 'BU002';
    end if;
    return new;
  end if;
  if new.begun_at is null then return new; end if;
  -- What it moves is known, and stays, only from when it is planned; what is inserted was never planned.
  if new.state <> 'running' or old.plan_hash is null then
    raise exception 'a run begins once it is planned' using errcode = 'BU002';
  end if;
  select limit_units into may_move from approval_limit
  where kind = 'run' and asset = new.asset order by version desc limit 1;
  if moves > coalesce(may_move, 0) and not exists (
    select from approval
    where kind = 'run' and subject_id = new.id and state = 'approved'
      and asked_by = new.begun_by and decided_by = new.approved_by
      and payload->'facts' @> jsonb_build_array(case digest_version
        when 1 then jsonb_build_object('name', 'Plan', 'value', new.plan_hash)
        else jsonb_build_object('key', 'planHash', 'value', new.plan_hash)
      end)
  ) then
    perform refuse('RunNeedsSecond');
  end if;
  return new;
end
$$;

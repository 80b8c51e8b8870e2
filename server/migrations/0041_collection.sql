-- A fourth limit: how much a run collects from a user who owes something. PostgreSQL does not let a transaction use a
-- value that it has added to a type, and upgrades run in one transaction, so the type is made again. The functions are
-- the same as before; their stored bodies refer to the type.
drop function is_within_limit(approval);
drop function alone_limit_of(uuid, asset);
drop function limit_of(limit_kind, asset);
alter type limit_kind rename to limit_kind_before;
create type limit_kind as enum ('alone', 'adjustment', 'schedule', 'collection');
alter table approval_limit alter column kind type limit_kind using kind::text::limit_kind;
alter table approval_limit_change alter column kind type limit_kind using kind::text::limit_kind;
drop type limit_kind_before;

create function limit_of(of_kind limit_kind, of_asset asset) returns bigint
language sql stable
return coalesce(
  (select limit_units from approval_limit where kind = of_kind and asset = of_asset order by version desc limit 1), 0);

create function alone_limit_of(maker uuid, of_asset asset) returns bigint
language sql stable
return case when coalesce(approves_from(maker), 'infinity') <= now() then limit_of('alone', of_asset) else 0 end;

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

-- Nothing is collected until two administrators decide that it is.
insert into approval_limit (kind, asset, version, limit_units) values ('collection', 'USD', 1, 0), ('collection', 'GMP', 1, 0);

-- The limit at the time of the plan, so that all users of a run are treated alike.
alter table run add column collects bigint not null default 0 check (collects >= 0);
comment on column run.collects is 'What the run collects at most from a user who owes something.';

create or replace function run_stays_planned() returns trigger
language plpgsql as $$
begin
  if old.state >= 'completed' then perform refuse('RunOver'); end if;
  if (old.id, old.kind, old.period, old.day, old.part, old.asset, old.settings, old.settings_version, old.as_of,
      old.reverses, old.reason, old.only_user, old.collects, old.planned_by, old.created_at)
    is distinct from (new.id, new.kind, new.period, new.day, new.part, new.asset, new.settings, new.settings_version,
      new.as_of, new.reverses, new.reason, new.only_user, new.collects, new.planned_by, new.created_at)
    or old.plan_hash is not null
    and (old.plan_hash, old.inputs, old.planned_at, old.lines, old.skipped, old.budget, old.pays, old.sets_aside,
      old.keeps, old.releases, old.returned, old.skips)
    is distinct from (new.plan_hash, new.inputs, new.planned_at, new.lines, new.skipped, new.budget, new.pays,
      new.sets_aside, new.keeps, new.releases, new.returned, new.skips)
    or old.plan_hash is not null and new.state = 'planning' then
    raise exception 'a plan cannot be changed' using errcode = 'BU002';
  end if;
  return new;
end
$$;

-- What was reversed for one user can be paid again to that user alone, without a plan for everyone.
alter table run add column only_user uuid references platform_user;
alter table run add check (only_user is null or reverses is null);

create or replace function run_stays_planned() returns trigger
language plpgsql as $$
begin
  if old.state >= 'completed' then perform refuse('RunOver'); end if;
  if (old.id, old.kind, old.period, old.day, old.part, old.asset, old.settings, old.settings_version, old.as_of,
      old.reverses, old.reason, old.only_user, old.planned_by, old.created_at)
    is distinct from (new.id, new.kind, new.period, new.day, new.part, new.asset, new.settings, new.settings_version,
      new.as_of, new.reverses, new.reason, new.only_user, new.planned_by, new.created_at)
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

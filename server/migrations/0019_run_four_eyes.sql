-- Whatever a process does, a run above its limit begins only once somebody has approved exactly its plan. What decides
-- is the limit at that moment: what has begun goes on by it, however often it is paused.
create function run_begins_approved() returns trigger
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
      and payload->'facts' @> jsonb_build_array(jsonb_build_object('name', 'Plan', 'value', new.plan_hash))
  ) then
    perform refuse('RunNeedsSecond');
  end if;
  return new;
end
$$;
create trigger run_begins_approved before insert or update on run
for each row execute function run_begins_approved();

alter table run add constraint run_began check (state not in ('running', 'paused', 'completed') or begun_at is not null);

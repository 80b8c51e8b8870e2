-- The lines of a plan that was cancelled before it was started are deleted: three previews of fifty million stakes would
-- leave three full plans. Its totals and its hash stay in its run.
create function plan_may_be_deleted() returns trigger
language plpgsql as $$
begin
  if exists (
    select from (select distinct run_id from changed) as of
    left join run on run.id = of.run_id
    where run.state is distinct from 'planning' and (run.state is distinct from 'cancelled' or run.started_at is not null)
  ) then
    raise exception 'a plan cannot be changed' using errcode = 'BU002';
  end if;
  return null;
end
$$;
drop trigger run_line_removed on run_line;
create trigger run_line_removed after delete on run_line
referencing old table as changed for each statement execute function plan_may_be_deleted();
drop trigger run_chunk_removed on run_chunk;
create trigger run_chunk_removed after delete on run_chunk
referencing old table as changed for each statement execute function plan_may_be_deleted();

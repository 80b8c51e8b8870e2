-- The transitions of a run's state, the same as runTransitions (contract/src/run-states.ts); a test compares them. The
-- contract also knows 'waiting', which is stored as 'planned'. Without from_state: the state of a new run.
create table run_transition (
  from_state run_state,
  to_state run_state not null,
  unique nulls not distinct (from_state, to_state)
);
comment on table run_transition is 'owner: runs. Only migrations change it.';
insert into run_transition (from_state, to_state) values
  (null, 'planning'),
  ('planning', 'planned'), ('planning', 'failed'), ('planning', 'cancelled'),
  ('planned', 'running'), ('planned', 'refused'), ('planned', 'cancelled'),
  ('running', 'completed'), ('running', 'failed'), ('running', 'refused'), ('running', 'paused'),
  ('running', 'cancelled'),
  ('paused', 'running'), ('paused', 'cancelled'),
  ('failed', 'planning'), ('failed', 'running'), ('failed', 'cancelled');

-- It runs after run_begins_approved and run_stays_planned, whose names come before its own: what they refuse, they still
-- refuse in their own words. They and the checks of the table also say which run may be retried to which state.
create function run_transition_is_known() returns trigger
language plpgsql as $$
begin
  if old.state is distinct from new.state and not exists (
    select from run_transition where from_state is not distinct from old.state and to_state = new.state
  ) then
    raise exception 'a run cannot become % from %', new.state, coalesce(old.state::text, 'nothing')
      using errcode = 'BU002';
  end if;
  return new;
end
$$;
create trigger run_transition_is_known before insert or update of state on run
for each row execute function run_transition_is_known();

grant select on run_transition to bursar_app, bursar_worker, bursar_auditor;

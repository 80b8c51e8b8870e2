-- A run whose lines are not yet in the planner's statistics seems to have one line. The planner then looked up the lines
-- of a user by this index, because it starts with the run, and read all lines of the run for every user. It is meant for
-- the lines of one chunk only, so it starts with the chunk.
drop index run_line_by_amount;
create index run_line_by_amount on run_line (chunk, run_id, (base + bonus + closing), cause_id);

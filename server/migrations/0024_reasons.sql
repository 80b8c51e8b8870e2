-- A reason is a code with its parameters (contract/src/runs-reasons.ts); only the panel has words for it. A sentence that
-- was stored before is kept under the code 'text'.
alter table run
  alter column why type jsonb using case when why is not null
    then jsonb_build_object('code', 'text', 'params', jsonb_build_object('text', why)) end,
  add constraint run_why_is_a_reason check (why ?& '{code,params}');

alter table run_chunk
  alter column failure type jsonb using case when failure is not null
    then jsonb_build_object('code', 'text', 'params', jsonb_build_object('text', failure)) end,
  add constraint run_chunk_failure_is_a_reason check (failure ?& '{code,params}');

alter table run_due
  alter column why type jsonb using case when why is not null
    then jsonb_build_object('code', 'text', 'params', jsonb_build_object('text', why)) end,
  add constraint run_due_why_is_a_reason check (why ?& '{code,params}');

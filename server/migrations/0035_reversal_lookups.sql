-- Reversals are looked up by the payment that they reverse, and by the cause of the payment. Both indexes had the same
-- condition and began with the day. Right after a day was reversed, the planner has no statistics on it, expects few
-- rows, and could choose the wrong index: each lookup then read all reversals of the day. With different conditions,
-- only the right index can serve a lookup. A transfer has both columns or none.
drop index transfer_reversals;
create index transfer_reversals on transfer (day, cause_id, kind, part) where reverses_day is not null;

create or replace function transfer_is_repeated_after_reversal() returns trigger
language plpgsql as $$
declare
  repeated text;
begin
  select concat_ws(' ', paid.day, paid.kind, paid.cause_id, paid.part) into repeated
  from posted as paid
  where paid.reverses is null and not paid_once(paid.kind) and reversals_of(paid.kind, paid.part) > 0
    and not exists (
      select from transfer as back
      where back.day = paid.day and back.cause_id = paid.cause_id and back.reverses_day is not null
        and back.part = paid.part - case when has_variants(paid.kind) then 10 else 1 end
      -- Keeps the reversals from being joined: each is one index lookup.
      offset 0
    )
  limit 1;
  if repeated is not null then
    raise exception 'the payment before % was not reversed', repeated using errcode = 'BU002';
  end if;
  return null;
end
$$;

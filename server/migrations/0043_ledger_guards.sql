-- Programs never choose the time or the number of a transfer: the verification relies on the time, and numbers follow
-- the order of posting.
revoke insert on transfer from bursar_app, bursar_worker;
grant insert (day, kind, cause_id, part, user_id, asset, debit, credit, units, reverses, reverses_day)
  on transfer to bursar_app, bursar_worker;

-- The payments of a kind with variants can have the same day and cause as those of another kind, so only a reversal of
-- the same kind lets such a payment be repeated.
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
        and (back.kind = paid.kind or not has_variants(paid.kind))
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

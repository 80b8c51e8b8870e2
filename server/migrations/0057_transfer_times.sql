-- The time of a transfer is when it is posted: a verification asks what explains the transfers since a time, and a
-- process that could choose an earlier one would not be asked.
revoke insert on transfer from bursar_app, bursar_worker;
grant insert (day, kind, cause_id, part, user_id, asset, debit, credit, units, reverses, reverses_day) on transfer
  to bursar_app, bursar_worker;

-- Since records are sealed, only runs post their kinds of transfers; before the first run, too.
grant select on record_sealing to bursar_app, bursar_worker;

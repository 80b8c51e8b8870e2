-- A list that was compared with the wrong period can be compared with the right one.
alter table reconciliation
  drop constraint reconciliation_digest_key,
  add constraint reconciliation_of_list unique (digest, from_day, to_day);

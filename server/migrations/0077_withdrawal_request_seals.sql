-- With the login of the API, a thief could request a withdrawal to a wallet of their own, and it looked like one that the
-- platform sent. A request now has a seal of its own over what never changes: user, amount, wallet and time. It keeps
-- that seal through all states, so deciding a forged request does not hide it.
alter table record_seal drop constraint record_seal_kind_check;
alter table record_seal add constraint record_seal_kind_check
check (kind in ('deposit', 'withdrawal', 'withdrawal-request', 'approval', 'authority'));

-- Records from before a kind had seals are sealed once, so each kind has its row.
alter table record_sealing drop column single;
alter table record_sealing add column kind text not null default 'deposit';
alter table record_sealing alter column kind drop default;
alter table record_sealing add primary key (kind);
insert into record_sealing (kind, sealed_at, records)
select it.kind, sealed_at, 0 from record_sealing, unnest(array['withdrawal', 'approval', 'authority']) as it (kind);
comment on table record_sealing is 'owner: audit. A row per kind once its records from before the seals are sealed.';

-- Whoever steals the database login of a process can write what the process writes: deposits, outcomes of withdrawals,
-- decisions and the right to approve. Each of these records has a seal, an HMAC with a key that the database does not
-- hold, so that a verification names the records that no process made.
create table record_seal (
  kind text not null check (kind in ('deposit', 'withdrawal', 'approval', 'authority')),
  record_id uuid not null,
  -- A record that changes has a seal for each of its states, and one id can have several deposits.
  seal bytea not null check (length(seal) = 32),
  primary key (kind, record_id, seal)
);
comment on table record_seal is 'owner: audit. Append-only.';
create trigger record_seal_is_append_only before update or delete or truncate on record_seal
for each statement execute function stop_rewriting();

-- Records from before this migration are sealed as they are, once, by the next "bursar migrate", which holds the key.
create table record_sealing (
  single boolean primary key default true check (single),
  sealed_at timestamptz not null default now(),
  records bigint not null
);
comment on table record_sealing is 'owner: audit. One row once the records from before the seals are sealed.';
create trigger record_sealing_is_append_only before update or delete or truncate on record_sealing
for each statement execute function stop_rewriting();

grant select, insert on record_seal to bursar_app, bursar_worker;
grant select on record_seal, record_sealing to bursar_auditor;
